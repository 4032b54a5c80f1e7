// The measured steps of an attempt that did not end as `done`. They are shown beside its outcome
// and are no result: no mean, comparison, estimate or peak uses them, and no sweep reuses them.
#pragma once

#include <cstdint>
#include <string>

#include "runner/model/vocabulary/outcome.h"

namespace sweepd {

struct PartialSteps {
  std::int64_t measured = 0;  // without warm-up
  std::int64_t wanted = 0;    // by the trial's `steps`
  bool at_least = false;      // `wanted` is a lower bound (`min_time`, `relative_error`)
  double mean_ms = 0;         // time of a whole step
};

// "measured before the timeout: 12 of 50 steps"
std::string heading_of(const PartialSteps& steps, Outcome outcome);

// "12 of 50 steps were measured before the timeout, mean 512.3 ms; not shown as a figure"
std::string describe(const PartialSteps& steps, Outcome outcome);

}  // namespace sweepd
