// Shows the workload's ranges as NVTX ranges, so that Nsight Systems uses the same names as our
// tables.
#pragma once

#include <memory>

#include "workloads/api/range.h"

namespace sweepd {

// Returns null unless a tool listens: Nsight sets NVTX_INJECTION64_PATH or
// NSYS_PROFILING_SESSION_ID in the processes it starts.
std::unique_ptr<RangeObserver> make_nvtx_ranges();

}  // namespace sweepd
