// The plugins that the configuration names.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "runner/base/result.h"
#include "runner/model/vocabulary/catalog.h"

namespace sweepd {

// Adds their workloads to the catalog, so that sweep files can name them and `workloads` lists
// them, and returns the file of each. One that does not load is logged and left out. Blocks.
std::map<std::string, std::string> add_plugins(const std::filesystem::path& worker,
                                               const std::vector<std::string>& files,
                                               Catalog& catalog);

// The definition of the workload in a plugin's file, for `workloads`. Blocks: for a reader thread.
Result<WorkloadDef> describe_plugin(const std::filesystem::path& worker, const Catalog& catalog,
                                    const std::string& file);

}  // namespace sweepd
