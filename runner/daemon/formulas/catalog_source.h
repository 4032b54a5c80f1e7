// Gets the catalog from `sweep-worker --describe`. That costs a worker's start, so the answer is
// cached in the state folder with the program's path, size and time, and renewed when these, or
// those of its plugins, differ.
#pragma once

#include <filesystem>

#include "runner/base/result.h"
#include "runner/model/vocabulary/catalog.h"

namespace sweepd {

Result<Catalog> load_catalog(const std::filesystem::path& worker,
                             const std::filesystem::path& cache_file);

// The same without a cache.
Result<Catalog> describe_worker(const std::filesystem::path& worker);

}  // namespace sweepd
