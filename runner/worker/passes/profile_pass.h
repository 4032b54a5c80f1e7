// The profile pass: the same steps under an observer. After the warm-up comes one observed step
// that is discarded, in which the observer sets itself up. Then two steps are compared, and the
// second is stored, so that counts and totals are those of one step.
#pragma once

#include <cstdint>

#include "runner/worker/journal/progress.h"
#include "runner/worker/passes/phase_clock.h"
#include "runner/worker/passes/profile_summary.h"
#include "workloads/api/device.h"
#include "workloads/api/profiler.h"
#include "workloads/api/workload.h"

namespace sweepd {

struct ProfileSettings {
  static constexpr std::int64_t kMaxWarmup = 3;
  std::int64_t warmup = kMaxWarmup;  // as requested, at most kMaxWarmup
};

struct ProfileResult {
  ProfileSummary summary;
  Recording recording;   // for the trace
  double step_ms = 0;    // host clock around the stored step, from idle to idle
  double kernel_ms = 0;  // busy time of the busiest stream or, on a CPU, of the workload's thread
  std::uint64_t dropped_records = 0;   // of both steps
  std::int64_t differing_kernels = 0;  // kernels with different numbers of calls in the two steps
};

KernelSource source_of(Device& device);

// Summarizes the second of two observed steps and compares it with the first.
ProfileResult compared_steps(const Recording& first, Recording second, double step_ms,
                             KernelSource source);

ProfileResult profile_step(Workload& workload, Device& device, Profiler& profiler,
                           const PhaseNames& phases, const ProfileSettings& plan,
                           AttemptProgress& progress);

}  // namespace sweepd
