// The daemon's log: <state>/sweepd.log, rotated at 10 MB, with three old files kept; in the
// foreground also the terminal.
#pragma once

#include <spdlog/formatter.h>

#include <memory>
#include <string>

#include "runner/base/result.h"
#include "runner/daemon/options.h"

namespace sweepd {

Result<void> start_logging(const StateFolder& state, Ground ground);

// Writes lines in this pattern of spdlog's. What they say is printable (base/printable.h), because
// people read the log at a terminal, and it quotes what strangers wrote.
std::unique_ptr<spdlog::formatter> printable_formatter(std::string pattern = "%+");

}  // namespace sweepd
