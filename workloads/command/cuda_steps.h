// What libsweepd_inject.so recorded of a program, as the profile and memory passes store it. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "runner/model/measurement/sample.h"
#include "runner/model/vocabulary/memory.h"
#include "runner/trace/inject.h"
#include "runner/trace/profile_rows.h"

namespace sweepd::command {

struct CudaProfile {
  trace::ProfileRows rows;
  std::vector<Sample> bounds;          // trace::bound_samples of the step
  double step_ms = 0, kernel_ms = 0;   // the latter of the busiest stream
  std::int64_t dropped = 0;            // records, of the whole run
  std::int64_t differing_kernels = 0;  // with another number of calls in the step before
};

// Of the second step after the warm-up, compared with the first; else of the last. Work belongs to
// the step, and to the innermost NVTX range, in which it was launched. The calls of CUDA are the
// operators. What bounds the step is of the work that ran in it.
CudaProfile cuda_profile(const trace::Injected& traced, std::int64_t warmup);

// The device memory that the program held from its first step to its last, with all of its
// allocators' reserves. Without an allocation all is zero.
PhaseMemory cuda_memory(const trace::Injected& traced);

}  // namespace sweepd::command
