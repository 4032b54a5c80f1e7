// Decides which attempts may be forked from a loaded worker, here and in a job of a cluster.
#pragma once

#include "runner/wire/request.h"

namespace sweepd {

// Only a timing of one process on the CPU gives the same result in a fork. The memory pass reports
// the resident set, which a fork shares with its parent; CUDA and gangs load libraries that a fork
// must not have. Without warm-up the first steps are measured, and a fork's differ: code is already
// loaded, and pages are still to be copied.
bool may_be_forked(const AttemptRequest& request);

}  // namespace sweepd
