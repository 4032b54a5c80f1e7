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

// Writes lines in this pattern of spdlog's. Their text is printable (base/printable.h), because
// users read the log at a terminal, and it quotes foreign text.
std::unique_ptr<spdlog::formatter> printable_formatter(std::string pattern = "%+");

}  // namespace sweepd
