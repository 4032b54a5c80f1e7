#include "runner/stats/summary.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cassert>
#include <cmath>

namespace sweepd::stats {
namespace {

// In `double` throughout: `long double`, the default, takes six times as long for digits that a
// statistic does not have.
using Policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
using Student = boost::math::students_t_distribution<double, Policy>;

}  // namespace

double student_width(double confidence, double degrees) {
  assert(confidence > 0 && confidence < 1 && degrees >= 1);
  const Student t(degrees);
  return boost::math::quantile(boost::math::complement(t, (1 - confidence) / 2));
}

double student_p(double t, double degrees) {
  assert(degrees >= 1);
  const Student distribution(degrees);
  return 2 * boost::math::cdf(boost::math::complement(distribution, std::abs(t)));
}

double normal_quantile(double p) {
  assert(p > 0 && p < 1);
  return boost::math::quantile(boost::math::normal_distribution<double>(), p);
}

double median(std::vector<double> values) {
  assert(!values.empty());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

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
