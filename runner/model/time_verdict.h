// Judges whether the times can be times. Pure, like model/verdict.h: `invalid` if a `time` or
// `host_time` is not finite and above 0, or another figure in milliseconds is not finite or below
// 0. Warm-up counts: a clock that failed once cannot be trusted.
#pragma once

#include <span>

#include "runner/model/sample.h"
#include "runner/model/verdict.h"

namespace sweepd {

Judgement judge_times(std::span<const Sample> samples);

}  // namespace sweepd
