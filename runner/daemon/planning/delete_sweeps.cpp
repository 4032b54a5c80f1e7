#include "runner/daemon/planning/delete_sweeps.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "runner/wire/attempt_folder.h"
#include "runner/wire/deletion.h"
#include "runner/wire/submission.h"

namespace sweepd {

namespace fs = std::filesystem;

Result<DeletedRows> delete_sweeps(Store& store, const fs::path& sweeps,
                                  const std::vector<SweepId>& ids) {
  DeletedRows deleted;
  const auto note = [&](const Store::DeleteReceipt& receipt) {
    auto file = write_deletion(sweeps, {{}, receipt.sweeps, receipt.attempts});
    if (file) deleted.file = std::move(*file);
    // A full disk must not prevent a deletion.
    if (!file) spdlog::warn("deleting sweeps: {}", file.error().message);
  };
  for (const SweepId& id : ids) pend_submission(sweeps, id);
  auto receipt = store.delete_sweeps(ids, Store::Deletion::kForReal, note);
  for (const SweepId& id : ids) settle_submission(sweeps, id, /*is_stored=*/!receipt);
  if (!receipt) {
    if (!deleted.file.empty()) end_deletion(deleted.file);
    return receipt.error();
  }
  deleted.receipt = std::move(*receipt);
  return deleted;
}

void remove_folders(const fs::path& runs, const std::vector<AttemptId>& attempts,
                    RemovedFolders& removed) {
  std::error_code error;
  if (!fs::is_directory(runs, error)) removed.looked_everywhere = false;
  for (const AttemptId& attempt : attempts) {
    const auto folder = AttemptFolder::of(runs, attempt);
    if (!folder) continue;  // it never existed
    const auto files = fs::remove_all(folder->path(), error);
    if (error) {
      if (removed.left++ == 0) removed.why = folder->path().string() + ": " + error.message();
    } else if (files > 0) {
      ++removed.folders;
    }
  }
}

void end_deletion(const RemovedFolders& removed, const fs::path& file) {
  if (removed.looked_everywhere && removed.left == 0 && !file.empty()) end_deletion(file);
}

Result<std::vector<Unfinished>> unfinished_deletions(Store& store, const fs::path& sweeps) {
  std::vector<Unfinished> unfinished;
  const std::vector<PendingDeletion> pending = pending_deletions(sweeps);
  if (pending.empty()) return unfinished;
  const auto stored = store.sweep_ids();
  if (!stored) return stored.error();
  if (stored->empty()) return unfinished;
  for (const PendingDeletion& deletion : pending) {
    // One transaction: all of these are there, or none.
    const bool is_stored = std::ranges::any_of(deletion.sweeps, [&](const SweepId& id) {
      return std::ranges::binary_search(*stored, id);
    });
    if (is_stored) {
      end_deletion(deletion.file);
    } else {
      unfinished.push_back({deletion.attempts, deletion.file});
    }
  }
  return unfinished;
}

}  // namespace sweepd
