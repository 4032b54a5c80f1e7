// How long this process has lived: what its start cost, for the sample `start_time`.
#pragma once

#include <optional>

#include "runner/base/units.h"

namespace sweepd {

// Since its fork, which the kernel notes in ticks: good to 10 ms. Nothing where /proc is not to be
// read.
std::optional<Duration> process_age();

}  // namespace sweepd
