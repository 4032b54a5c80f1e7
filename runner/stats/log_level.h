// The level of one side of a comparison on the logarithmic scale, where a ratio is a difference and
// a time that is a few per cent off is as likely above as below.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "runner/stats/summary.h"

namespace sweepd::stats {

// An estimate of a level and how far it may be off.
struct LogLevel {
  double centre = 0;         // natural logarithm of the value
  double unit_variance = 0;  // between the logs of the units: processes or blocks
  double units = 0;          // at least 2
  double error_squared() const { return unit_variance / units; }
  double degrees() const { return units - 1; }
};

// The mean of the logs of `values`, which are positive; nothing for fewer than two values.
std::optional<LogLevel> level_of(std::span<const double> values);

// As level_of, but of kLeastTrimmed values or more the largest fifth and the smallest fifth do not
// count: a few disturbed processes may take fifty times as long. The centre is the
// trimmed mean of the logs, and its error comes from their winsorised variance, with a degree of
// freedom less than there are values left (Yuen, "The two-sample trimmed t for unequal population
// variances", Biometrika 1974). `units` is the number of values left.
inline constexpr std::size_t kLeastTrimmed = 8;
std::optional<LogLevel> trimmed_level_of(std::span<const double> values);

// How many of `n` values trimmed_level_of leaves.
std::size_t left_by_trimming(std::size_t n);

// The spread of the logs of `values` around a `centre` that is known better than by their mean.
std::optional<LogLevel> level_around(double centre, std::span<const double> values);

// The degrees of freedom of the sum of two estimated variances (Satterthwaite 1946). One of the
// variances is above 0.
double satterthwaite(double variance_a, double degrees_a, double variance_b, double degrees_b);

// From value / e^half_width to value * e^half_width.
Interval interval_around(double value, double half_width);

}  // namespace sweepd::stats
