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
// the processes, which costs more than pairs save.
inline constexpr std::size_t kLeastPairs = 12;

// One side: a positive value for each process, and when the process began, in any unit. Without the
// times, or with one missing, there are no pairs.
struct TimedSide {
  std::vector<double> values;
  std::vector<std::int64_t> started;
};

// The indices in a and b of processes between whose beginnings no other process began. Empty if the
// sides did not run in turns: if more than a quarter of a side's processes belong to no pair.
std::vector<std::pair<std::size_t, std::size_t>> pairs_in_turns(
    std::span<const std::int64_t> a_started, std::span<const std::int64_t> b_started);

// The level of b / a over these pairs, trimmed as in trimmed_level_of. Nothing for fewer than
// kLeastPairs.
struct PairLevel {
  LogLevel level;
  std::size_t pairs = 0;  // before extreme ones were set aside
};
std::optional<PairLevel> level_of_pairs(const TimedSide& a, const TimedSide& b);

// The degrees of freedom of the interval of a ratio with `n` processes on each side.
double degrees_of_ratio(std::size_t n, bool in_turns);

}  // namespace sweepd::stats
