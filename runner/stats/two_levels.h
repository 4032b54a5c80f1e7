// Detects values that alternate between two levels, such as step times when every other step
// collects garbage, or when the clock has two frequencies.
#pragma once

#include <optional>
#include <span>

namespace sweepd::stats {

struct TwoLevels {
  double low = 0, high = 0;  // the means of the two clusters
  double high_share = 0;     // of the values, outliers included
};

// `values` are on the logarithmic scale. They have two levels if all of these hold, for the split
// into two clusters with the least squares, without the largest 5 % (which may be outliers):
//   - Ashman's D = sqrt(2) |mean difference| / sqrt(variance + variance) is at least 5 + 50 / n
//     (Ashman, Bird and Zepf, "Detecting bimodality in astronomical datasets", AJ 1994). Their
//     limit of 2 is for clusters that overlap; cutting values in two makes D larger: 2.7 for very
//     many values of a normal distribution, 3.5 of a uniform one, and by chance twice that for 20
//     values.
//   - each cluster has at least 15 % of the values, so that outliers are none
//   - the means are further apart than `apart`
//   - the values change from one cluster to the other at least four times. Once is a change of
//     level, and twice a disturbance.
// Nothing for fewer than 10 values.
std::optional<TwoLevels> find_two_levels(std::span<const double> values, double apart);

}  // namespace sweepd::stats
