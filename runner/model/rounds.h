// How many attempts one pass of a trial has.
#pragma once

#include <cstdint>

#include "runner/model/trial.h"

namespace sweepd {

// Only timings are worth repeating: memory and kernels do not vary.
constexpr std::int64_t rounds_of(Pass pass, std::int64_t repeats) {
  return pass == Pass::kTiming ? repeats : 1;
}

}  // namespace sweepd
