#include "runner/stats/summary.h"

#include <cmath>

#include "runner/stats/student.h"

namespace sweepd::stats {

std::optional<double> standard_error(double std, std::int64_t n) {
  if (n < 2 || !std::isfinite(std) || std < 0) return std::nullopt;
  return std / std::sqrt(static_cast<double>(n));
}

std::optional<double> mean_half_width(double std, std::int64_t n, double confidence) {
  const std::optional<double> error = standard_error(std, n);
  if (!error) return std::nullopt;
  return *error * student_width(confidence, static_cast<double>(n - 1));
}

std::optional<Interval> mean_interval(double mean, double std, std::int64_t n, double confidence) {
  const std::optional<double> half = mean_half_width(std, n, confidence);
  if (!half || !std::isfinite(mean)) return std::nullopt;
  return Interval{mean - *half, mean + *half};
}

std::optional<double> geometric_mean(std::span<const double> ratios) {
  if (ratios.empty()) return std::nullopt;
  double logs = 0;
  for (const double ratio : ratios) {
    if (!std::isfinite(ratio) || !(ratio > 0)) return std::nullopt;
    logs += std::log(ratio);
  }
  return std::exp(logs / static_cast<double>(ratios.size()));
}

}  // namespace sweepd::stats
