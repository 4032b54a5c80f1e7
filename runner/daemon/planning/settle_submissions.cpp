#include "runner/daemon/planning/settle_submissions.h"

#include <algorithm>

#include "runner/wire/submission.h"

namespace sweepd {

Result<void> settle_submissions(Store& store, const std::filesystem::path& sweeps) {
  remove_unfinished_submissions(sweeps);
  const auto pending = pending_submissions(sweeps);
  if (pending.empty()) return {};
  const auto stored = store.sweep_ids();
  if (!stored) return stored.error();
  if (stored->empty()) return {};
  for (const SweepId& id : pending) {
    settle_submission(sweeps, id, /*is_stored=*/std::ranges::binary_search(*stored, id));
  }
  return {};
}

}  // namespace sweepd
