// Statistics of several attempts together, from the summary of each.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "runner/model/measurement/sample.h"

namespace sweepd {

// Moments are combined one attempt at a time (Chan, Golub, LeVeque).
struct PooledStats {
  std::int64_t attempts = 0;
  Stats stats;         // mean, n and extremes of all; the rest is of the first attempt
  double squares = 0;  // about the mean

  void add(const Stats& more) {
    if (attempts++ == 0) {
      stats = more;
      squares = static_cast<double>(more.n - 1) * more.std * more.std;
      return;
    }
    const double before = static_cast<double>(stats.n), here = static_cast<double>(more.n);
    const double apart = more.mean - stats.mean;
    stats.min = std::min(stats.min, more.min);
    stats.max = std::max(stats.max, more.max);
    stats.n += more.n;
    const double share = here / static_cast<double>(stats.n);
    stats.mean += apart * share;
    squares += apart * apart * before * share + (here - 1) * more.std * more.std;
  }
  // Returns the figures of several attempts. Order statistics cannot be combined and are NaN.
  Stats pooled() const {
    Stats all = stats;
    all.std = all.n > 1 ? std::sqrt(squares / static_cast<double>(all.n - 1)) : 0;
    all.p05 = all.median = all.p95 = all.mad = std::numeric_limits<double>::quiet_NaN();
    return all;
  }
};

}  // namespace sweepd
