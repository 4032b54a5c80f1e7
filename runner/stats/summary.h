// Confidence intervals of a mean from `mean ± std` of n independent values, and the usual mean of
// ratios. Steps of one process are not independent (`compare.h`), so an interval that is computed
// from them is too narrow when neighbouring steps are alike; for the means of processes it is
// right.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "runner/stats/interval.h"

namespace sweepd::stats {

// Standard error of the mean, std / sqrt(n), in the unit of `std`. `std` is that of a sample
// (n - 1). Nothing for n < 2, because one value has no spread, and for a `std` that is not a finite
// number.
std::optional<double> standard_error(double std, std::int64_t n);

// Half the width of the interval around the mean: standard error times Student's t with n - 1
// degrees of freedom ("The probable error of a mean", Biometrika 1908). Nothing where the standard
// error is nothing. 0 if all values are equal.
std::optional<double> mean_half_width(double std, std::int64_t n, double confidence = 0.95);

// The interval around the mean itself; also nothing for a `mean` that is not a finite number.
std::optional<Interval> mean_interval(double mean, double std, std::int64_t n,
                                      double confidence = 0.95);

// The mean of ratios that gives the same answer for a / b and b / a (Fleming and
// Wallace, "How not to lie with statistics", CACM 1986). Nothing for no ratios, and if one is not
// finite and positive.
std::optional<double> geometric_mean(std::span<const double> ratios);

}  // namespace sweepd::stats
