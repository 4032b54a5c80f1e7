// Shared by `pause` and `resume`: the options for sweeps and devices.
#pragma once

#include <string>
#include <vector>

#include "runner/client/session/client.h"
#include "runner/wire/messages/pause.h"

namespace sweepd {

struct PauseOptions {
  std::vector<std::string> sweeps, devices;
  bool all = false;
};

// Adds SWEEP..., --all, which stands for `which`, and --device; `options` receives them.
void add_pause_options(Command& command, PauseOptions& options, const std::string& which);

// Whether either is given. `verb` is for the message.
Result<void> check(const PauseOptions& options, std::string_view verb);

}  // namespace sweepd
