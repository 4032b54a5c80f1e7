#include "db/store/state.h"

namespace sweepd {

// PASSIVE does not wait for readers. What a reader still needs stays in the log until the next
// time.
Result<void> Store::checkpoint() {
  return guarded(state_->connection, "moving the log into the database", [&]() -> Result<void> {
    Query(state_->connection, "PRAGMA wal_checkpoint(PASSIVE)").next();
    return {};
  });
}

}  // namespace sweepd
