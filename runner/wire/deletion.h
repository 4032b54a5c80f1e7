// `<state>/sweeps/<id>.deleting`: the daemon's current deletion. It writes the file, and
// forces it to the disk, before the rows of sweeps go, and removes it when the folders of their
// attempts are gone too. If it dies between the two, the next daemon checks the database for them;
// without the database, `sweepctl recover` skips the file's entries.
#pragma once

#include <filesystem>
#include <vector>

#include "runner/base/ids.h"
#include "runner/base/result.h"

namespace sweepd {

struct PendingDeletion {
  std::filesystem::path file;
  std::vector<SweepId> sweeps;
  std::vector<AttemptId> attempts;
};

// Makes the folder if need be. Returns the file.
Result<std::filesystem::path> write_deletion(const std::filesystem::path& sweeps,
                                             const PendingDeletion& deletion);
// Those in the folder that can be read.
std::vector<PendingDeletion> pending_deletions(const std::filesystem::path& sweeps);
// Removes the file: all was deleted, or nothing was.
void end_deletion(const std::filesystem::path& file);

}  // namespace sweepd
