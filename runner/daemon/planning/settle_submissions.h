// Completes a dead daemon's files of submissions, which only a recovery of the database reads.
#pragma once

#include <filesystem>

#include "db/store/store.h"

namespace sweepd {

// Gives pending files of sweeps that are stored their names, and removes the others: those sweeps
// were never acknowledged, or were deleted. Does nothing beside a database without sweeps, which
// may replace a lost one. Call it at start.
Result<void> settle_submissions(Store& store, const std::filesystem::path& sweeps);

}  // namespace sweepd
