// Reads what a program printed, or the report that it wrote, again: `sweepctl reread`.
#pragma once

#include "workloads/api/workload.h"
#include "workloads/command/params.h"

namespace sweepd::command {

// Steps, figures of the whole run and facts; what a program reported on its descriptor is not in
// its output. Throws std::runtime_error or std::invalid_argument that names the mistake.
Reading reread(const Params& params, const RunParams& run, const StoredOutput& output);

}  // namespace sweepd::command
