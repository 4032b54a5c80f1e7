// Asks the worker for the workload of a plugin (runner/model/vocabulary/plugin.h). A process of its
// own loads the library, so that one that crashes or hangs there is an error.
#pragma once

#include <filesystem>
#include <string>

#include "runner/base/result.h"
#include "runner/base/units.h"
#include "runner/model/vocabulary/plugin.h"

namespace sweepd {

struct PluginLimits {
  Duration keep = seconds(600);  // a source file is compiled
  Duration describe = seconds(20);
};

// `word` is the file as written, relative to `folder`; behind a `#`, which of its workloads.
// Blocks: for a reader thread. Errors name the file.
Result<FoundPlugin> ask_for_plugin(const std::filesystem::path& worker, const std::string& word,
                                   const std::filesystem::path& folder, PluginLimits limits = {});

}  // namespace sweepd
