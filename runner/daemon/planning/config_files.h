// Finds and reads the configuration files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runner/base/result.h"
#include "runner/sweepfile/config/config.h"

namespace sweepd {

// `--config FILE`, else $SWEEPD_CONFIG: that file alone, which must exist. Else the system's and
// the user's, of which each may be missing: a pool of the second replaces one of the first.
struct ConfigPlaces {
  std::filesystem::path only;    // empty: none was named
  std::filesystem::path system;  // /etc/sweepd/config.yaml
  std::filesystem::path user;    // $XDG_CONFIG_HOME/sweepd/config.yaml, else below ~/.config

  static ConfigPlaces from_environment(const std::string& option);
};

struct LoadedConfig {
  Config config;
  std::vector<ConfigFile> files;  // those looked for, the most important last
};

// The error is for users: the mistakes with file, line and column, or why a file cannot be read.
Result<LoadedConfig> load_config(const ConfigPlaces& places);

}  // namespace sweepd
