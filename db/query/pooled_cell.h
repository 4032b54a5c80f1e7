// One cell of a table over more attempts than are worth listing.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "runner/model/sample.h"

namespace sweepd {

// Moments are joined as they come (Chan, Golub, LeVeque).
struct PooledCell {
  PooledCell(std::vector<std::uint32_t> at_, std::int64_t phase_, std::int64_t trial_)
      : at(std::move(at_)), phase(phase_), trial(trial_) {}

  std::vector<std::uint32_t> at;
  std::int64_t phase, trial;  // the first trial
  std::int64_t attempts = 0;
  bool several_trials = false;
  Stats stats;
  double squares = 0;  // about the mean

  void add(const Stats& more) {
    if (attempts == 0) {
      stats = more;
      squares = static_cast<double>(more.n - 1) * more.std * more.std;
      attempts = 1;
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
    ++attempts;
  }
  void finish() {
    if (attempts == 1) return;
    stats.std = stats.n > 1 ? std::sqrt(squares / static_cast<double>(stats.n - 1)) : 0;
    stats.p05 = stats.median = stats.p95 = stats.mad = std::numeric_limits<double>::quiet_NaN();
  }
};

}  // namespace sweepd
