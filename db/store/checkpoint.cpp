#include "db/store/state.h"

namespace sweepd {

// PASSIVE does not wait for readers. Pages that a reader still needs stay in the log until the next
// checkpoint. A log with a hole must not be moved: after a power failure during the move it could
// not repair the pages already moved.
Result<void> Store::checkpoint() {
  const std::string what = "moving the log into the database";
  if (state_->log_has_hole) {
    auto whole = state_->transact(what, []() -> Result<void> { return {}; });
    if (!whole) return whole;
  }
  return guarded(state_->connection, what, [&]() -> Result<void> {
    return state_->watching_syncs([&]() -> Result<void> {
      Query(state_->connection, "PRAGMA wal_checkpoint(PASSIVE)").next();
      return {};
    });
  });
}

void Store::set_long_log(int pages) {
  state_->allowed_log = state_->long_log = pages;
}

}  // namespace sweepd
