// The difference between equal processes on a machine (an A/A test), and its effect on `compare`:
// how often that calls equal sides different, and how many processes a side it needs to find a
// slowdown of known size. Pure: equal input, equal result.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "runner/stats/compare.h"

namespace sweepd::stats {

struct NoiseOptions {
  CompareOptions compare;
  double slowdown = 0.05;         // to be found: b takes 1 + this times as long
  double chance = 0.95;           // of finding it with the recommended number of processes
  std::size_t most_a_side = 200;  // processes
};

// The results of `compare` for pairs with `a_side` processes a side. A pair is a window of 2 a_side
// processes that ran one after the other, which belong to a and b in turns as interleaved repeats
// do. Windows overlap: one begins at each process, or at every second, third ... of very many.
struct NoiseOfPairs {
  std::size_t a_side = 0;
  std::size_t pairs = 0;
  double median_difference = 0;  // of |b / a - 1|: half of the equal pairs differ by less
  double p95_difference = 0;     // 95 % of them differ by less
  std::size_t false_alarms = 0;  // equal pairs called faster or slower
  std::size_t found = 0;         // pairs called slower once b is slowed down
  double process_variance = 0;   // of Comparison::process_variance, the 90th percentile
};

struct ProcessNoise {
  std::size_t processes = 0;
  double spread = 0;                 // standard deviation of the logs of the processes' medians
  std::vector<NoiseOfPairs> a_side;  // by number of processes a side, ascending from 2
  // The smallest number of processes a side with which, and with every larger number that could be
  // tried, the slowdown is found. Nothing if none suffices.
  std::optional<NoiseOfPairs> recommended;
};

// `medians` has the median of each process's steps, in the order in which the processes ran, in any
// unit. A number of processes a side is tried if at least `kMinPairs` windows of it do not overlap.
// Nothing for fewer than 4 kMinPairs processes, or if a median is not finite and positive.
inline constexpr std::size_t kMinPairs = 4;
std::optional<ProcessNoise> process_noise(std::span<const double> medians,
                                          const NoiseOptions& options = {});

}  // namespace sweepd::stats
