// Judges a GPU's clock against the clocks that the same device held for the same work before. A
// large GPU lowers its clock while it multiplies matrices, so a clock can only be judged by
// comparison. Pure, like model/verdict.h.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "runner/model/verdict.h"

namespace sweepd {

// Fewer earlier results are not enough.
inline constexpr std::size_t kLeastClocks = 3;

// `mhz` is the clock after the measured steps, `earlier` those after earlier valid timings of the
// same trial on the same device. `suspect` if it is more than a tenth below their median. `who` is
// " of rank 1" or empty.
Judgement judge_clock(std::int64_t mhz, std::span<const std::int64_t> earlier,
                      std::string_view who = {});

}  // namespace sweepd
