// How far apart the ranks of one trial were at the end of steps that they began together.
#pragma once

#include <optional>
#include <span>

#include "runner/model/measurement/sample.h"

namespace sweepd {

struct Skew {
  double mean_ms = 0;          // of a step: the slowest rank's time minus the fastest's
  double max_ms = 0;           // of the worst step
  int straggler = 0;           // the rank that was slowest most often; the lowest of equal ones
  double straggler_share = 0;  // share of the steps in which it was slowest
};

// Uses the `time` of phase `step` in measured steps that at least two ranks reported. Returns
// nothing if there is none.
std::optional<Skew> skew_of(std::span<const Sample> samples);

}  // namespace sweepd
