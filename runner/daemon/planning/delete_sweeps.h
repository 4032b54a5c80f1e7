// Deletes sweeps and their files, so that a daemon that dies during the deletion leaves nothing
// that a recovery would restore.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "db/store/store.h"

namespace sweepd {

struct DeletedRows {
  Store::DeleteReceipt receipt;
  std::filesystem::path file;  // of wire/deletion.h; empty if it could not be written
};

// The rows of the sweeps, and their files in `sweeps`. Keeps the folders of `receipt.attempts`.
Result<DeletedRows> delete_sweeps(Store& store, const std::filesystem::path& sweeps,
                                  const std::vector<SweepId>& ids);

struct RemovedFolders {
  std::int64_t folders = 0, left = 0;
  std::string why;                // of the first that is left
  bool looked_everywhere = true;  // false if a shared folder is missing, as if it is not mounted
};

// Removes the folders of attempts that are in `runs`, and adds to `removed`.
void remove_folders(const std::filesystem::path& runs, const std::vector<AttemptId>& attempts,
                    RemovedFolders& removed);
// Removes `file` if all of them are gone. Otherwise the next daemon tries again.
void end_deletion(const RemovedFolders& removed, const std::filesystem::path& file);

struct Unfinished {
  std::vector<AttemptId> attempts;
  std::filesystem::path file;
};

// The unfinished deletions of a dead daemon whose rows are gone: call `remove_folders` for each,
// and `end_deletion`. If the rows are there, nothing was deleted, and this ends it. Does nothing
// beside a database without sweeps, which may replace a lost one. Call it at start.
Result<std::vector<Unfinished>> unfinished_deletions(Store& store,
                                                     const std::filesystem::path& sweeps);

}  // namespace sweepd
