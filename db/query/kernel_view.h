// The request of `sweepctl show ATTEMPT --kernels`: rows of a profile and their layout.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sweepd {

enum class KernelGrouping {
  kName,    // one row a kernel, by its short name
  kLaunch,  // one row a kernel and launch shape
  kRange,   // one row a range
  kClass,   // one row a class
};

enum class KernelLayout {
  kNsys,     // Time %, Total, Instances, Avg, Med, Min, Max, StdDev, Name: `nsys stats`
  kPytorch,  // Name, Self CPU %, Self CPU, CPU total ..., # of Calls: torch.profiler
};

struct KernelView {
  KernelGrouping by = KernelGrouping::kName;
  KernelLayout layout = KernelLayout::kNsys;
  std::string phase;  // "" is the whole step
  int rank = 0;
  std::int64_t top = 0;  // show this many of the largest rows; 0 means all
};

}  // namespace sweepd
