// A recording of one step -> the rows that are stored. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
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

// One passage through a range: attention.softmax has one a layer. Its time is that of its kernels
// and of those of its backward, each in the phase in which they ran, and in all as phase "step".
struct RangePassage {
  std::string phase;
  std::string range;
  std::int64_t number = 0;  // among the passages through that range, in their order, from 0
  double kernel_ns = 0;
};
// By phase, range and number; none of what ran outside every range.
std::vector<RangePassage> passages_of(const Recording& recording, KernelSource source);

// What `range` takes of the time of the kernels in `among`, in one phase; nothing where those took
// none.
std::optional<double> share_of_range(const std::vector<KernelStats>& kernels,
                                     std::string_view phase, std::string_view range,
                                     const std::vector<std::string_view>& among);

// Time without what was called, by operator, in ns. Never negative.
std::vector<double> self_times_ns(const std::vector<OperatorRecord>& operators);

// The most that one stream (GPU) or the workload's thread (CPU) was busy with kernels, in ms. More
// than the step took is impossible.
double busiest_ms(const Recording& recording, KernelSource source);

// Kernels, by name, phase and range, whose number of calls is not the same in both.
std::int64_t differing_kernels(const std::vector<KernelStats>& a,
                               const std::vector<KernelStats>& b);

}  // namespace sweepd
