// The versions that a plugin was built with (workloads/api/plugin.h), and whether this worker can
// load it. They are read from the file, so no code of a refused plugin runs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sweepd {

struct PluginIdentity {
  std::string abi, sweepd, compiler, libtorch;  // `libtorch` is empty without LibTorch
};

// That of this worker: its headers and compiler, and the LibTorch that it loaded.
PluginIdentity identity_of_worker();

// Returns nothing if the bytes are of no plugin.
std::optional<PluginIdentity> identity_in(std::string_view bytes);

// "ABI 1, sweepd 0.1.0, GCC 12.2.0, LibTorch 2.11.0"
std::string to_text(const PluginIdentity& identity);

// Returns "" or why the worker cannot load this file, naming both sides. `shown` is the file as the
// user wrote it.
std::string refusal_of_plugin(std::string_view bytes, std::string_view shown,
                              const PluginIdentity& worker);

}  // namespace sweepd
