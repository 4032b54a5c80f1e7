// Turns a recording of one step into the rows that are stored. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/machine/environment.h"
#include "runner/model/vocabulary/kernel.h"
#include "workloads/api/profiler.h"

namespace sweepd {

// The source of kernels: the operators themselves, with their self time, or the device's work.
enum class KernelSource { kOperators, kDevice };

struct ProfileSummary {
  std::vector<KernelStats> kernels;      // largest total first
  std::vector<OperatorStats> operators;  // largest self CPU time first
};

ProfileSummary summarize_recording(const Recording& recording, KernelSource source);

// Adds the kernels' occupancy and waves on this device, where their registers are known.
void add_occupancy(std::vector<KernelStats>& kernels, const DeviceInfo& device);

// One pass through a range: attention.softmax has one per layer. Its time is that of its kernels
// and of its backward's kernels, in the phase in which each ran, and in total as phase "step".
struct RangePassage {
  std::string phase;
  std::string range;
  std::int64_t number = 0;  // counts the passes through that range, from 0
  double kernel_ns = 0;
};
// Sorted by phase, range and number. Skips kernels outside every range.
std::vector<RangePassage> passages_of(const Recording& recording, KernelSource source);

// Returns softmax's share of the time of attention's two products and its softmax, in one phase.
// The kernels count by their class: scaling, the mask and copies are neither. Nothing without a
// product.
std::optional<double> softmax_share(const std::vector<KernelStats>& kernels,
                                    std::string_view phase);

// Returns each operator's time without that of the operators it called, in ns. Never negative.
std::vector<double> self_times_ns(const std::vector<OperatorRecord>& operators);

// Returns the largest time that one stream (GPU) or the workload's thread (CPU) spent in kernels,
// in ms. It cannot be more than the step took.
double busiest_ms(const Recording& recording, KernelSource source);

// Counts the kernels, by name, phase and range, whose number of calls differs between the two.
std::int64_t differing_kernels(const std::vector<KernelStats>& a,
                               const std::vector<KernelStats>& b);

}  // namespace sweepd
