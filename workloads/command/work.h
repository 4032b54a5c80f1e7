// The work of a program's step, by the formulas of its sweep file.
#pragma once

#include "runner/model/measurement/work.h"
#include "runner/model/sweep/run_params.h"
#include "workloads/command/params.h"

namespace sweepd::command {

inline constexpr std::string_view kCounted = "count";  // of work_flops

// The arithmetic is that of the parameter `precision`, else `dtype`, where its value names one.
// FLOPs that are to be counted are left out. Throws std::invalid_argument that names the formula
// and the mistake.
WorkPerStep work_of(const Params& params, const RunParams& run);

}  // namespace sweepd::command
