// Loads the library of a plugin into this process. Once loaded it stays: its code may run until the
// end.
#pragma once

#include <filesystem>
#include <string>

#include "runner/base/result.h"
#include "workloads/api/workload.h"

namespace sweepd {

// Returns the library's workloads, which live as long as the process. `shown` is the file as the
// user wrote it. What its constructors print goes to stderr. One thread at a time.
Result<const Registry*> load_plugin(const std::filesystem::path& library, const std::string& shown);

// Whether the file is a plugin that was built with LibTorch.
bool needs_libtorch(const std::filesystem::path& library);

// Adds the workloads of this tree that are plugins, those in ../lib/sweepd/workloads of this
// program; what needs LibTorch only in a worker with it. What does not load is named on stderr.
void add_shipped_workloads(Registry& registry);

}  // namespace sweepd
