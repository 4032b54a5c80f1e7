// How long this process has existed, which is the cost of its start in the sample `start_time`.
#pragma once

#include <optional>

#include "runner/base/units.h"

namespace sweepd {

// Returns the time since its fork, which the kernel records in ticks: accurate to 10 ms. Returns
// nothing if /proc cannot be read.
std::optional<Duration> process_age();

}  // namespace sweepd
