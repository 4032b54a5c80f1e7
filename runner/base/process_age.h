// How long a process has existed, by a clock that cannot be set.
#pragma once

#include <sys/types.h>

#include <optional>

#include "runner/base/units.h"

namespace sweepd {

// Returns the time since its fork, which the kernel records in ticks: accurate to 10 ms. Time in
// which the machine was suspended counts. Returns nothing if there is no such process.
std::optional<Duration> process_age(pid_t pid);

// The total time for which the machine has been suspended since its boot.
Duration suspended_since_boot();

}  // namespace sweepd
