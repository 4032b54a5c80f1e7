// `workload: ./saxpy.so` (model/vocabulary/plugin.h).
#pragma once

#include <string>

#include "runner/model/vocabulary/plugin.h"
#include "runner/sweepfile/yaml/draft.h"
#include "runner/sweepfile/yaml/reporter.h"

namespace sweepd::sweepfile {

// Whether the word names a plugin by its file or by its name in the configuration.
bool is_plugin(const PluginFinder& plugins, std::string_view word);

// Asks for the plugin that the document names. Sets the draft's definition, workload, `declared`
// and the parameter `plugin_file`, unless there is a mistake, which is reported at `node`.
void read_plugin(Reporter& report, const Catalog& catalog, const PluginFinder& plugins,
                 Draft& draft, const Node& node);

}  // namespace sweepd::sweepfile
