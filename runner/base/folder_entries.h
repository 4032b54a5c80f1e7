// Lists a folder that may disappear during the listing, as may its file system.
#pragma once

#include <filesystem>
#include <vector>

#include "runner/base/result.h"

namespace sweepd {

// Returns the paths of a folder's entries, in no order. A range-for over directory_iterator throws
// when a later read fails, with any constructor; this never throws. Errors name the
// folder: kNotFound if it does not exist, else kIo, also if only a part could be read.
Result<std::vector<std::filesystem::path>> entries_of(const std::filesystem::path& folder);

}  // namespace sweepd
