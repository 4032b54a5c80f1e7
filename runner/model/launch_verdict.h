// Judges whether `launch: ahead` hid the launches of every measured step. Pure, like
// model/verdict.h.
#pragma once

#include <span>

#include "runner/model/sample.h"
#include "runner/model/verdict.h"

namespace sweepd {

// `suspect` if the device began a step before the host had issued all of it: that step's time may
// include host time.
Judgement judge_launch(std::span<const Summary> summaries);

}  // namespace sweepd
