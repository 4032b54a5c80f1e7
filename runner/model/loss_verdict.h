// Judges whether a training step trained: whether its loss is a number. Pure, like model/verdict.h.
#pragma once

#include <span>

#include "runner/model/attempt_record.h"
#include "runner/model/sample.h"
#include "runner/model/verdict.h"

namespace sweepd {

// `suspect` if the loss of a step, or of the last step (the fact `final_loss`), is not finite: what
// was measured is arithmetic with infinities, and nothing was trained.
Judgement judge_loss(std::span<const Fact> facts, std::span<const Sample> samples);

}  // namespace sweepd
