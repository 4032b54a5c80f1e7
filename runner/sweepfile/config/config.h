// Reads the configuration of daemon and client. schemas/config.md is the manual. Pure: the daemon
// reads the files (runner/daemon/planning/config_files.h). Mistakes are reported as those of a
// sweep file.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/machine/pool_config.h"
#include "runner/model/vocabulary/config_value.h"
#include "runner/sweepfile/sweep/sweepfile.h"

namespace sweepd {

struct ConfigText {
  std::string file;  // for messages
  std::string text;
};

inline constexpr Duration kCompactOlder = seconds(30 * std::int64_t{86400});

struct Config {
  std::vector<PoolConfig> pools =
      local_pool_only();  // `local` first, then in the order of the files
  // How long ago a `done` attempt ended whose folder is compacted unasked; empty: none is.
  std::optional<Duration> compact_older = kCompactOlder;
  std::vector<std::string> plugins;  // files of all configurations; absolute paths
  std::vector<ConfigValue> values;   // of all pools in the same order, then the others
};

struct ParsedConfig {
  Config config;                   // complete only if there are no errors
  std::vector<Diagnostic> errors;  // by file
};

// Returns the value of an environment variable; empty: it is not set.
using EnvironmentOf = std::function<std::optional<std::string>(const std::string& name)>;

// The texts from the least to the most important: a pool of a later one replaces a pool of the same
// name whole, so that no pool is a mixture of two files. Other keys are replaced one by one.
// `local` exists always. An empty text is valid. `~` and `$NAME` in `runs` are replaced.
ParsedConfig parse_config(const std::vector<ConfigText>& texts, const EnvironmentOf& environment);

}  // namespace sweepd
