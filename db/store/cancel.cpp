#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "db/base/ending_columns.h"
#include "db/store/holds.h"
#include "db/store/state.h"

namespace sweepd {
namespace {

// Adds the sweep's open attempts that no other live sweep waits for.
void add_open_of_only(Connection& connection, std::int64_t sweep, Store::CancelReceipt& receipt) {
  Query query(connection,
              "SELECT a.row, " + left_queue_ns("a") +
                  " IS NOT NULL, a.started_ns IS NULL FROM sweep_attempt sa "
                  "JOIN attempt a ON a.row = sa.attempt "
                  "WHERE sa.sweep = ?1 AND a.outcome IS NULL AND NOT EXISTS "
                  "(SELECT 1 FROM sweep_attempt other JOIN sweep s ON s.id = other.sweep "
                  "WHERE other.attempt = a.row AND other.sweep <> ?1 AND s.cancelled_ns IS NULL) "
                  "ORDER BY a.position");
  query.bind(sweep);
  while (query.next()) {
    const bool left_queue = query.integer(1) != 0;
    (left_queue ? receipt.running : receipt.ended).push_back(query.integer(0));
    if (left_queue && query.integer(2) != 0) ++receipt.given;
  }
}

bool has_open(Connection& connection, std::int64_t sweep) {
  Query query(connection,
              "SELECT 1 FROM sweep_attempt sa JOIN attempt a ON a.row = sa.attempt "
              "WHERE sa.sweep = ? AND a.outcome IS NULL LIMIT 1");
  query.bind(sweep);
  return query.next();
}

}  // namespace

Result<Store::CancelReceipt> Store::cancel_sweep(const SweepId& sweep, WallTime when) {
  Connection& connection = state_->connection;
  return state_->transact("cancelling sweep " + sweep, [&]() -> Result<CancelReceipt> {
    const auto row = sweep_row(connection, sweep);
    if (!row) return row.error();
    const std::vector<std::int64_t> sweeps = with_sentinel(connection, *row);
    if (std::ranges::none_of(sweeps, [&](std::int64_t s) { return has_open(connection, s); })) {
      return Error{ErrorCode::kFailedPrecondition,
                   fmt::format("sweep `{}` has ended; there is nothing to cancel", sweep)};
    }
    CancelReceipt receipt;
    for (const std::int64_t each : sweeps) {
      Query(connection,
            "UPDATE sweep SET cancelled_ns = coalesce(cancelled_ns, ?), paused_ns = NULL WHERE id "
            "= ?")
          .bind_all(when.ns, each)
          .run();
      add_open_of_only(connection, each, receipt);
    }
    const Ending ending{Cancelled{"its sweep was cancelled"}, 0};
    for (const std::int64_t attempt : receipt.ended) set_ending(connection, attempt, ending, when);
    receipt.holds = holds_of(connection, sweeps, Look::kIfAnyIsPaused);
    return receipt;
  });
}

}  // namespace sweepd
