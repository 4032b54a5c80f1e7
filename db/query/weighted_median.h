// The median of calls that are known only in groups (the launch shapes of a kernel, its ranges).
// Each call counts with the median of its group. For a single group the result is exact.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace sweepd {

class WeightedMedian {
 public:
  void add(double median, std::int64_t calls) {
    groups_.emplace_back(median, calls);
    calls_ += calls;
  }
  double value() const {
    auto sorted = groups_;
    std::sort(sorted.begin(), sorted.end());
    std::int64_t seen = 0;
    for (const auto& [median, calls] : sorted) {
      seen += calls;
      if (2 * seen >= calls_) return median;
    }
    return 0;
  }

 private:
  std::vector<std::pair<double, std::int64_t>> groups_;
  std::int64_t calls_ = 0;
};

}  // namespace sweepd
