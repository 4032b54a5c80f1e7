// The median of values in any order: the middle one, or the mean of the middle two.
#pragma once

#include <vector>

namespace sweepd::stats {

// `values` is not empty and has no NaN, which has no place in an order. Takes its own copy, which
// it reorders.
double median(std::vector<double> values);

}  // namespace sweepd::stats
