// How far the ranks of one trial were apart at the end of their steps, which they began together.
#pragma once

#include <optional>
#include <span>

#include "runner/model/sample.h"

namespace sweepd {

struct Skew {
  double mean_ms = 0;          // of a step: the slowest rank's time minus the fastest's
  double max_ms = 0;           // of the worst step
  int straggler = 0;           // the rank that was the slowest most often; of equals the lowest
  double straggler_share = 0;  // of the steps in which it was
};

// From the `time` of phase `step` of the measured steps that at least two ranks told of; nothing
// when there is none.
std::optional<Skew> skew_of(std::span<const Sample> samples);

}  // namespace sweepd
