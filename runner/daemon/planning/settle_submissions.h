// What a daemon that died left of the submissions that only a recovery of the database reads.
#pragma once

#include <filesystem>

#include "db/store/store.h"

namespace sweepd {

// Gives pending files of sweeps that are stored their names, and removes the others: nobody was
// told that those sweeps are there, or somebody deleted them. Does nothing beside a database
// without sweeps, which may be the successor of one that was lost. Call it at start.
Result<void> settle_submissions(Store& store, const std::filesystem::path& sweeps);

}  // namespace sweepd
