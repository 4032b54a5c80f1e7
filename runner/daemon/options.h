// sweepd's command line.
#pragma once

#include <filesystem>
#include <optional>

#include "runner/daemon/app.h"
#include "runner/daemon/recover_database.h"

namespace sweepd {

enum class Ground { kForeground, kBackground };

struct DaemonOptions {
  AppOptions app;
  Ground ground = Ground::kBackground;
  std::optional<Recovery> recover;  // if set, runs recover_database.h instead of a daemon
  std::filesystem::path read_file;  // if not empty, runs serve_file.h instead of a daemon
  bool tries = false;               // runs try_attempts.h instead of a daemon
};

// Empty if there is nothing to run (--help, --version, a mistake); `exit_code` is then set.
std::optional<DaemonOptions> parse_options(int argc, char** argv, int& exit_code);

}  // namespace sweepd
