#include "runner/stats/false_discovery.h"

#include <algorithm>

namespace sweepd::stats {

std::vector<std::optional<double>> adjust_p(std::span<const std::optional<double>> p) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] && *p[i] >= 0 && *p[i] <= 1) order.push_back(i);  // false for NaN
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t left, std::size_t right) { return *p[left] < *p[right]; });
  std::vector<std::optional<double>> adjusted(p.size());
  const auto count = static_cast<double>(order.size());
  double least = 1;
  // From the largest p down: the running minimum gives equal p the same value, that of their last
  // rank, and keeps the order.
  for (std::size_t rank = order.size(); rank > 0; --rank) {
    const double raw = *p[order[rank - 1]];
    least = std::min(least, std::max(raw, raw * count / static_cast<double>(rank)));
    adjusted[order[rank - 1]] = least;
  }
  return adjusted;
}

void control_false_discoveries(std::span<Comparison> comparisons, const CompareOptions& options) {
  std::vector<std::optional<double>> p;
  p.reserve(comparisons.size());
  for (const Comparison& comparison : comparisons) p.push_back(comparison.p);
  const std::vector<std::optional<double>> adjusted = adjust_p(p);
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    Comparison& comparison = comparisons[i];
    comparison.adjusted_p = adjusted[i];
    const bool changed =
        comparison.change == Change::kFaster || comparison.change == Change::kSlower;
    if (!changed || !adjusted[i] || *adjusted[i] <= 1 - options.confidence) continue;
    comparison.change = Change::kUnclear;
    // The adjustment multiplies p, so a p that passes must be smaller by the same factor.
    CompareOptions strict = options;
    strict.confidence = 1 - (1 - options.confidence) * *p[i] / *adjusted[i];
    comparison.needed = processes_needed(comparison, strict);
  }
}

}  // namespace sweepd::stats
