// The median of calls that are stored in groups (the launch shapes of a kernel, its ranges). It is
// known only of a single group: the medians of several do not say it.
#pragma once

#include <optional>

namespace sweepd {

class KnownMedian {
 public:
  void add(double median) { median_ = groups_++ == 0 ? std::optional(median) : std::nullopt; }
  std::optional<double> value() const { return median_; }

 private:
  int groups_ = 0;
  std::optional<double> median_;
};

}  // namespace sweepd
