// The daemon's log: <state>/sweepd.log, rotated at 10 MB, with three old files kept; in the
// foreground also the terminal.
#pragma once

#include "runner/base/result.h"
#include "runner/daemon/options.h"

namespace sweepd {

Result<void> start_logging(const StateFolder& state, Ground ground);

}  // namespace sweepd
