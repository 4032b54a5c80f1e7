// How much longer a sweep takes, from its own results so far. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "runner/base/units.h"
#include "runner/model/trial.h"

namespace sweepd {

// The attempts of one pass of a sweep. Passes differ in length: a memory pass takes a step or two.
struct PassPace {
  Pass pass = Pass::kTiming;
  std::int64_t queued = 0;
  std::int64_t ended = 0;  // that ran for the sweep, whatever their outcome; not reused ones
  Duration took{0};        // all of `ended` together
};

struct RunningFor {
  Pass pass = Pass::kTiming;
  Duration elapsed{0};
};

// Every waiting attempt takes the mean of its pass (of all passes, before its own first has ended);
// a running one what is left of that, and as many as run now go on running beside each other.
// Nothing before the first attempt has ended, or while nothing runs and something waits.
std::optional<Duration> time_left(std::span<const PassPace> passes,
                                  std::span<const RunningFor> running);

}  // namespace sweepd
