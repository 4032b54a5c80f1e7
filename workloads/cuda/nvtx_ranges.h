// The workload's ranges as NVTX ranges, so that Nsight Systems shows what our tables name.
#pragma once

#include <memory>

#include "workloads/api/range.h"

namespace sweepd {

// Null unless a tool listens: Nsight sets NVTX_INJECTION64_PATH or NSYS_PROFILING_SESSION_ID in the
// processes it starts.
std::unique_ptr<RangeObserver> make_nvtx_ranges();

}  // namespace sweepd
