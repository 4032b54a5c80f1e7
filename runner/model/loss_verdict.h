// Judges whether a training step trained: its loss must be a finite number. Pure, like
// model/verdict.h.
#pragma once

#include <span>

#include "runner/model/attempt_record.h"
#include "runner/model/sample.h"
#include "runner/model/verdict.h"

namespace sweepd {

// `suspect` if the loss of a step, or of the last step (the fact `final_loss`), is not finite: the
// step computed with infinities and trained nothing.
Judgement judge_loss(std::span<const Fact> facts, std::span<const Sample> samples);

}  // namespace sweepd
