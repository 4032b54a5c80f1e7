// Reads one pool of a configuration file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runner/sweepfile/config/config.h"
#include "runner/sweepfile/yaml/node.h"
#include "runner/sweepfile/yaml/reporter.h"

namespace sweepd::sweepfile {

struct ReadPool {
  PoolConfig pool;
  std::vector<ConfigValue> values;
};

struct ConfigContext {
  Reporter& report;
  const std::string& file;
  const EnvironmentOf& environment;
};

// ConfigValue::source of what no file says.
inline constexpr const char* kSourceOfDefaults = "default";
// What is said of the pool `local`, which has no keys.
ConfigValue local_value(std::string source);

// Replaces a `~` in front, `$NAME` and `${NAME}`. Reports one that is not set at `node`, as
// `key`'s.
std::optional<std::string> expand_path(const ConfigContext& context, const char* key,
                                       const Node& node, const std::string& text);

// `key` is the pool's name. Complete only if nothing was reported.
ReadPool read_pool(const ConfigContext& context, const Node& key, const Node& value);

}  // namespace sweepd::sweepfile
