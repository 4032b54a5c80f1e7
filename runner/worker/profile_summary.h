// A recording of one step -> the rows that are stored. Pure.
#pragma once

#include <vector>

#include "runner/model/kernel.h"
#include "workloads/api/profiler.h"

namespace sweepd {

// What counts as a kernel: the operators themselves, by their self time, or what the device ran.
enum class KernelSource { kOperators, kDevice };

struct ProfileSummary {
  std::vector<KernelStats> kernels;      // largest total first
  std::vector<OperatorStats> operators;  // largest self CPU time first
};

ProfileSummary summarize_recording(const Recording& recording, KernelSource source);

// Time without what was called, by operator, in ns. Never negative.
std::vector<double> self_times_ns(const std::vector<OperatorRecord>& operators);

// The most that one stream (GPU) or the workload's thread (CPU) was busy with kernels, in ms. More
// than the step took is impossible.
double busiest_ms(const Recording& recording, KernelSource source);

// Kernels, by name, phase and range, whose number of calls is not the same in both.
std::int64_t differing_kernels(const std::vector<KernelStats>& a,
                               const std::vector<KernelStats>& b);

}  // namespace sweepd
