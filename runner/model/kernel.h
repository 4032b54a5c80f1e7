// What one step of a profile pass ran, as that pass stores it: its kernels, and the operators that
// launched them.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace sweepd {

// Calls of one kernel in one step, in one phase and range. On a GPU, a kernel is what the device
// ran (kernels, memory copies and fills), and times are device times. On a CPU, a kernel is an
// operator, and times are its self time, which excludes the operators it called. The sum over all
// rows of a rank is therefore the time during which the device worked.
struct KernelStats {
  int rank = 0;
  std::string phase;  // as in `memory`; "step" is only what ran outside every phase
  std::string range;  // the innermost (workloads/api/range.h); "other" is outside every range
  std::string name;   // full name: demangled, with every template argument
  std::array<std::int64_t, 3> grid{};   // x, y, z; zeros if not launched (an operator, a copy)
  std::array<std::int64_t, 3> block{};  // threads
  std::int64_t calls = 0;
  double total_ns = 0;
  double mean_ns = 0;  // of one call, like the next four
  double median_ns = 0;
  double min_ns = 0;
  double max_ns = 0;
  double std_ns = 0;  // of a sample (n - 1); 0 for one call
};

// Calls of one operator in one step, in one phase and range, on both clocks.
struct OperatorStats {
  int rank = 0;
  std::string phase;
  std::string range;
  std::string name;  // "aten::mm"; "MmBackward0" for nodes of the backward
  std::int64_t calls = 0;
  double self_cpu_ns = 0;      // without the operators it called
  double total_cpu_ns = 0;     // including them; recursion is counted once
  double self_device_ns = 0;   // GPU: kernels that it launched itself; 0 on a CPU
  double total_device_ns = 0;  // GPU: also those of the operators it called
};

}  // namespace sweepd
