#include "runner/stats/log_level.h"

#include <algorithm>
#include <cmath>

namespace sweepd::stats {

std::optional<LogLevel> level_of(std::span<const double> values) {
  if (values.size() < 2) return std::nullopt;
  // Distances from the first value, so that the mean of equal values is exactly that value.
  const double first = std::log(values.front());
  double sum = 0;
  for (const double value : values) sum += std::log(value) - first;
  return level_around(first + sum / static_cast<double>(values.size()), values);
}

std::optional<LogLevel> level_around(double centre, std::span<const double> values) {
  if (values.size() < 2) return std::nullopt;
  double squares = 0;
  for (const double value : values) {
    squares += (std::log(value) - centre) * (std::log(value) - centre);
  }
  const auto n = static_cast<double>(values.size());
  return LogLevel{centre, squares / (n - 1), n};
}

double satterthwaite(double variance_a, double degrees_a, double variance_b, double degrees_b) {
  const double sum = variance_a + variance_b;
  const double degrees =
      sum * sum / (variance_a * variance_a / degrees_a + variance_b * variance_b / degrees_b);
  return std::max(degrees, std::min(degrees_a, degrees_b));  // less by rounding alone
}

Interval interval_around(double value, double half_width) {
  return {value * std::exp(-half_width), value * std::exp(half_width)};
}

}  // namespace sweepd::stats
