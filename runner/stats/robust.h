// Noise and outliers of a series of step times, in the presence of change points.
#pragma once

#include <span>
#include <vector>

namespace sweepd::stats {

struct Noise {
  double deviation = 0;  // standard deviation around the level
  // Between neighbours, if it is certain: 0 to 0.9, and 0 for fewer than 40 values.
  double correlation = 0;
  // How much more the mean of many values varies than it would without the correlation.
  double inflation() const { return (1 + correlation) / (1 - correlation); }
};

// From the differences of values one and two steps apart, which a few changes of the level do not
// touch. The squared spread of the latter is 1 + correlation times that of the former (Chakar,
// Lebarbier, Lévy-Leduc and Robin, "A robust approach for estimating change-points in the mean of
// an AR(1) process", Bernoulli 2017). The spread is the upper quartile of the absolute differences,
// scaled for the normal distribution. Their median, which is usual, underestimates skewed noise,
// and is 0 for a coarse clock whose neighbours are mostly equal. `values` has at least four.
Noise noise_of(std::span<const double> values);

// Draws each value to within `reach` of the median of the 11 values around it (fewer at the ends),
// a Hampel filter that clips instead of replacing. An outlier can then not pass for a segment, and
// a change of level that lasts at least 6 steps stays where it is.
std::vector<double> clip_outliers(std::span<const double> values, double reach);

}  // namespace sweepd::stats
