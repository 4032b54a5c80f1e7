#include "runner/stats/pairs.h"

#include <algorithm>
#include <tuple>

namespace sweepd::stats {
namespace {

struct Beginning {
  std::int64_t time;
  bool of_b;
  std::size_t index;
};

}  // namespace

Pairs pairs_in_turns(std::span<const std::int64_t> a_started,
                     std::span<const std::int64_t> b_started) {
  const std::size_t larger = std::max(a_started.size(), b_started.size());
  std::vector<Beginning> all;
  for (std::size_t i = 0; i < a_started.size(); ++i) all.push_back({a_started[i], false, i});
  for (std::size_t i = 0; i < b_started.size(); ++i) all.push_back({b_started[i], true, i});
  std::sort(all.begin(), all.end(), [](const Beginning& x, const Beginning& y) {
    return std::tie(x.time, x.of_b, x.index) < std::tie(y.time, y.of_b, y.index);
  });
  Pairs pairs;
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    const Beginning &first = all[i], &second = all[i + 1];
    if (first.of_b == second.of_b) continue;
    pairs.emplace_back(first.of_b ? second.index : first.index,
                       first.of_b ? first.index : second.index);
    ++i;  // neither belongs to another pair
  }
  if (4 * pairs.size() < 3 * larger) pairs.clear();
  return pairs;
}

std::optional<LogLevel> level_of_pairs(std::span<const double> a, std::span<const double> b,
                                       const Pairs& pairs) {
  if (pairs.size() < kLeastPairs) return std::nullopt;
  std::vector<double> ratios;
  for (const auto& [of_a, of_b] : pairs) ratios.push_back(b[of_b] / a[of_a]);
  return trimmed_level_of(ratios);
}

double degrees_of_ratio(std::size_t n, bool in_turns) {
  const auto left = static_cast<double>(left_by_trimming(n));
  return in_turns && n >= kLeastPairs ? left - 1 : 2 * left - 2;
}

}  // namespace sweepd::stats
