// Pairs of processes of two sides that ran in turns. A machine whose clock or neighbours change
// within seconds changes both processes of a pair alike, so the ratio of a pair varies less than
// the processes do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "runner/stats/log_level.h"

namespace sweepd::stats {

// Fewer pairs than this are not used: their interval has half as many degrees of freedom as that of
// the processes, and with few that widens it much (t for 99 %: 4.0 instead of 3.2 with eight a
// side).
inline constexpr std::size_t kLeastPairs = 12;

// Indices of a process of a and of one of b.
using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

// Processes between whose beginnings no other process began; times are in any unit. Empty if the
// sides did not run in turns: if more than a quarter of a side's processes belong to no pair.
Pairs pairs_in_turns(std::span<const std::int64_t> a_started,
                     std::span<const std::int64_t> b_started);

// The level of b / a over the pairs, trimmed as in trimmed_level_of. `a` and `b` have a positive
// value for each process. Nothing for fewer than kLeastPairs.
std::optional<LogLevel> level_of_pairs(std::span<const double> a, std::span<const double> b,
                                       const Pairs& pairs);

// The degrees of freedom of the interval of a ratio with `n` processes on each side.
double degrees_of_ratio(std::size_t n, bool in_turns);

}  // namespace sweepd::stats
