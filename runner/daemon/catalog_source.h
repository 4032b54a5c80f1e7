// The catalog, from `sweep-worker --describe`. Asking costs a worker's start, so the answer is kept
// in the state folder beside the program's path, size and time, and asked again when they differ.
#pragma once

#include <filesystem>

#include "runner/base/result.h"
#include "runner/model/catalog.h"

namespace sweepd {

Result<Catalog> load_catalog(const std::filesystem::path& worker,
                             const std::filesystem::path& cache_file);

}  // namespace sweepd
