// Finds changes of a series' level by PELT (Killick, Fearnhead and Eckley, "Optimal detection
// of changepoints with a linear computational cost", JASA 2012): the segments with the least sum of
// squared distances from their means, plus a penalty for each change.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace sweepd::stats {

struct ChangePointOptions {
  // Fewest steps of a segment. A change that lasts shorter is not found.
  std::size_t least_length = 5;
  // The least gain of one more change, for noise of a standard deviation of 1. Twice the logarithm
  // of the length is usual (Schwarz's criterion) and finds changes in white noise in several of 100
  // series; see `penalty_for`.
  double penalty = 0;
};

// The penalty with which fewer than one in 100 series of white noise, whose standard deviation is
// estimated by `noise_of`, shows a change.
double penalty_for(std::size_t length);

// The first step of every segment but the first, ascending. `values` have noise of a standard
// deviation near 1 and no wild outliers (`robust.h`): the squared distance is the right cost for
// these, and takes constant time for any segment by running sums, which costs on ranks or absolute
// distances do not. Without changes PELT cannot prune and takes quadratic time, so a series of
// more than 1,000 steps is searched twice: changes at every second, third, ... step, and then at
// all steps near those that were found.
std::vector<std::size_t> change_points(std::span<const double> values,
                                       const ChangePointOptions& options);

}  // namespace sweepd::stats
