#include "runner/stats/robust.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "runner/stats/summary.h"

namespace sweepd::stats {
namespace {

constexpr std::size_t kHalfWindow = 5;
// |N(0, 1)| is below this in three quarters of all cases.
constexpr double kUpperQuartile = 1.1503;
constexpr double kMostCorrelation = 0.9;
constexpr double kFewestForCorrelation = 40;

// The standard deviation of values without correlation that differ as these do.
double spread_of_differences(std::span<const double> values, std::size_t apart) {
  std::vector<double> differences;
  differences.reserve(values.size() - apart);
  for (std::size_t i = apart; i < values.size(); ++i) {
    differences.push_back(std::abs(values[i] - values[i - apart]));
  }
  const auto quartile =
      differences.begin() + static_cast<std::ptrdiff_t>(differences.size() * 3 / 4);
  std::nth_element(differences.begin(), quartile, differences.end());
  return *quartile / (kUpperQuartile * std::sqrt(2.0));
}

}  // namespace

Noise noise_of(std::span<const double> values) {
  assert(values.size() >= 4);
  const double one = spread_of_differences(values, 1), two = spread_of_differences(values, 2);
  if (!(one > 0)) return {};
  const auto n = static_cast<double>(values.size());
  if (n < kFewestForCorrelation) return {one, 0};
  const double doubt = 3 / std::sqrt(n) + 10 / n;  // two standard errors, and more for few values
  const double ratio = two / one;
  const double correlation = std::clamp(ratio * ratio - 1 - doubt, 0.0, kMostCorrelation);
  return {one / std::sqrt(1 - correlation), correlation};
}

std::vector<double> clip_outliers(std::span<const double> values, double reach) {
  std::vector<double> clipped;
  clipped.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t begin = i - std::min(i, kHalfWindow);
    const std::size_t end = std::min(values.size(), i + kHalfWindow + 1);
    const auto window = values.subspan(begin, end - begin);
    const double middle = median({window.begin(), window.end()});
    clipped.push_back(std::clamp(values[i], middle - reach, middle + reach));
  }
  return clipped;
}

}  // namespace sweepd::stats
