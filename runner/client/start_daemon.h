// Starts the `sweepd` beside this program (or on PATH) for a state folder and waits until it
// listens. The error is what sweepd itself printed.
#pragma once

#include "runner/base/result.h"
#include "runner/wire/endpoint.h"

namespace sweepd {

Result<void> start_daemon(const StateFolder& state);

}  // namespace sweepd
