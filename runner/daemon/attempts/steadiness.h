// Decides whether an attempt's steps reach a steady state (stats/steady.h). Pure; takes some
// milliseconds for a hundred thousand steps, so it belongs to the thread that reads journals.
#pragma once

#include <span>
#include <vector>

#include "runner/model/measurement/sample.h"

namespace sweepd {

// Fills `steady_from` and `steadiness` of each summary of `time`. `samples` are those of the
// summaries, with the warm-up; of several ranks the slowest counts in each step.
//
// `steady_from` counts over all steps. `steadiness` is about the measured ones: steps that are on
// the last level from the first measured step on are steady, with a warm-up of any length and
// level. Leaves both empty if there are too few steps, or if a time is not a time.
//
// A cause follows the word if the samples show one. `clock`: the mean of a rank's device_clock is
// more than 2 % lower in the slower steps. `host`: what host_time has beyond time is longer in
// them, by as large a share as the phase and by three times its noise.
void add_steadiness(std::span<const Sample> samples, std::vector<Summary>& summaries);

}  // namespace sweepd
