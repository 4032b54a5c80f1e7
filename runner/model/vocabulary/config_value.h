// A daemon's configuration as users see it.
#pragma once

#include <string>
#include <string_view>

namespace sweepd {

struct ConfigFile {
  static constexpr std::string_view kTitle = "a configuration file";
  std::string path;
  bool exists = false;
  static void visit(auto& self, auto&& field) {
    field("path", self.path, "");
    field("exists", self.exists, "");
  }
};

// One value that is in force: "pools.h200.slurm.partition", "gpu", "/etc/sweepd/config.yaml:4".
struct ConfigValue {
  static constexpr std::string_view kTitle = "a value of the configuration";
  std::string key, value, source;
  friend bool operator==(const ConfigValue&, const ConfigValue&) = default;
  static void visit(auto& self, auto&& field) {
    field("key", self.key, "`pools.NAME.slurm.partition`");
    field("value", self.value, "");
    field("source", self.source, "`FILE:LINE`, or `default`");
  }
};

}  // namespace sweepd
