// The median; confidence intervals of a mean from `mean ± std` of n independent values; the usual
// mean of ratios; Student's t. Steps of one process are not independent (`compare.h`), so an
// interval that is computed from them is too narrow when neighbouring steps are alike; for the
// means of processes it is right.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sweepd::stats {

// The two ends of a confidence interval, in the unit of the figure that it belongs to.
struct Interval {
  double low = 0;
  double high = 0;
};

// Of values in any order: the middle one, or the mean of the middle two. `values` is not empty and
// has no NaN, which has no place in an order. Takes its own copy, which it reorders.
double median(std::vector<double> values);

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

// Student's t distribution takes any number of degrees of freedom from 1 on, whole or not (an
// approximate test after Satterthwaite has a fraction).

// How many standard errors a two-sided interval reaches to each side: 1.96 for a confidence of 0.95
// and very many degrees of freedom, 12.7 for one. `confidence` is between 0 and 1, both excluded.
double student_width(double confidence, double degrees);

// The chance that |t| is at least this large if the true difference is 0 (two-sided p value).
double student_p(double t, double degrees);

// How many standard deviations of a normal distribution lie below the share `p`: 0.84 for 0.8.
double normal_quantile(double p);

}  // namespace sweepd::stats
