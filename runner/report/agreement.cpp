#include "runner/report/agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sweepd::report {

void Agreement::add_cell(const std::vector<const ResultRow*>& attempts) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  double least = kFar, most = -kFar, lowest_end = kFar, highest_begin = -kFar, sum = 0;
  for (const ResultRow* row : attempts) {
    const Stats& stats = row->stats;
    if (row->attempts != 1 || stats.n < 2 || !std::isfinite(stats.mean)) return;
    least = std::min(least, stats.mean);
    most = std::max(most, stats.mean);
    lowest_end = std::min(lowest_end, stats.mean + stats.std);
    highest_begin = std::max(highest_begin, stats.mean - stats.std);
    sum += stats.mean;
  }
  if (attempts.size() < 2) return;
  ++cells_;
  if (highest_begin <= lowest_end) ++agreeing_;
  const double mean = std::abs(sum / static_cast<double>(attempts.size()));
  if (mean > 0) widest_ = std::max(widest_, (most - least) / mean);
}

std::string Agreement::words() const {
  if (cells_ == 0) return "";
  return fmt::format("; their means differ by up to {:.0f}% and agree within ± std in {} of {} {}",
                     100 * widest_, agreeing_, cells_, cells_ == 1 ? "cell" : "cells");
}

}  // namespace sweepd::report
