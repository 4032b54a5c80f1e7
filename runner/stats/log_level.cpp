#include "runner/stats/log_level.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace sweepd::stats {

std::optional<LogLevel> level_of(std::span<const double> values) {
  if (values.size() < 2) return std::nullopt;
  // Distances from the first value, so that the mean of equal values is exactly that value.
  const double first = std::log(values.front());
  double sum = 0;
  for (const double value : values) sum += std::log(value) - first;
  return level_around(first + sum / static_cast<double>(values.size()), values);
}

std::size_t left_by_trimming(std::size_t n) {
  return n < kLeastTrimmed ? n : n - 2 * (n / 5);
}

std::optional<LogLevel> trimmed_level_of(std::span<const double> values) {
  const std::size_t left = left_by_trimming(values.size());
  if (left == values.size()) return level_of(values);
  const std::size_t cut = (values.size() - left) / 2;
  std::vector<double> logs;
  for (const double value : values) logs.push_back(std::log(value));
  std::sort(logs.begin(), logs.end());
  // Distances from the lowest that counts, so that the mean of equal values is exactly that value.
  const double lowest = logs[cut], highest = logs[cut + left - 1];
  double sum = 0, winsorised_sum = 0;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    if (i >= cut && i < cut + left) sum += logs[i] - lowest;
    logs[i] = std::clamp(logs[i], lowest, highest) - lowest;
    winsorised_sum += logs[i];
  }
  const double mean = winsorised_sum / static_cast<double>(logs.size());
  double squares = 0;
  for (const double log : logs) squares += (log - mean) * (log - mean);
  const auto h = static_cast<double>(left);
  return LogLevel{lowest + sum / h, squares / (h - 1), h};
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
