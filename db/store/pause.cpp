// Pauses and resumes sweeps with their sentinels. An attempt that a sweep without a pause also
// wants is not held.
#include <fmt/format.h>

#include <algorithm>

#include "db/base/held.h"
#include "db/store/holds.h"
#include "db/store/state.h"

namespace sweepd {
namespace {

using Rows = std::vector<std::int64_t>;

Rows rows_of(Connection& connection, const std::string& sql) {
  Rows rows;
  for (Query query(connection, sql); query.next();) rows.push_back(query.integer(0));
  return rows;
}

Result<Rows> rows_of(Connection& connection, const std::vector<SweepId>& sweeps) {
  Rows rows;
  for (const SweepId& sweep : sweeps) {
    const auto row = sweep_row(connection, sweep);
    if (!row) return row.error();
    if (std::ranges::find(rows, *row) == rows.end()) rows.push_back(*row);
  }
  return rows;
}

// Without counts.
PausedSweep read_sweep(Connection& connection, std::int64_t sweep) {
  Query query(connection, "SELECT uid, name, paused_ns IS NOT NULL FROM sweep WHERE id = ?");
  query.bind(sweep);
  query.next();
  PausedSweep paused;
  paused.id = query.text(0);
  paused.name = query.text(1);
  paused.was_paused = query.integer(2) != 0;
  return paused;
}

void count_open(Connection& connection, std::int64_t sweep, PausedSweep& paused) {
  Query query(connection,
              "SELECT a.started_ns IS NOT NULL, a.given_ns IS NOT NULL, count(*), sum(" +
                  is_held("a") +
                  ") FROM sweep_attempt sa JOIN attempt a ON a.row = sa.attempt WHERE sa.sweep = ? "
                  "AND a.outcome IS NULL GROUP BY 1, 2");
  query.bind(sweep);
  while (query.next()) {
    const bool started = query.integer(0) != 0, given = query.integer(1) != 0;
    if (started) {
      paused.running += query.integer(2);
    } else if (given) {
      paused.given += query.integer(2);
    } else {
      paused.held += query.integer(3);
    }
  }
}

Result<void> check_is_open(Connection& connection, std::int64_t sweep) {
  Query query(connection,
              "SELECT s.name, s.uid, s.cancelled_ns IS NOT NULL FROM sweep s WHERE s.id = ? AND "
              "(s.cancelled_ns IS NOT NULL OR NOT EXISTS (SELECT 1 FROM sweep_attempt sa JOIN "
              "attempt a ON a.row = sa.attempt WHERE sa.sweep = s.id AND a.outcome IS NULL))");
  query.bind(sweep);
  if (!query.next()) return {};
  return Error{
      ErrorCode::kFailedPrecondition,
      fmt::format("sweep {} ({}) {}; there is nothing to pause", query.text(0),
                  short_id(query.text(1)), query.integer(2) != 0 ? "was cancelled" : "has ended")};
}

// Adds them to the receipt. Without a time they are resumed.
void set_paused(Connection& connection, const Rows& sweeps, std::optional<WallTime> when,
                Store::PauseReceipt& receipt) {
  for (const std::int64_t sweep : sweeps) {
    receipt.sweeps.push_back(read_sweep(connection, sweep));
    if (!when) count_open(connection, sweep, receipt.sweeps.back());
  }
  Rows changed;
  for (const std::int64_t sweep : sweeps) {
    for (const std::int64_t each : with_sentinel(connection, sweep)) changed.push_back(each);
  }
  for (const std::int64_t sweep : changed) {
    Query update(connection,
                 when ? "UPDATE sweep SET paused_ns = coalesce(paused_ns, ?2) WHERE id = ?1"
                      : "UPDATE sweep SET paused_ns = NULL WHERE id = ?1");
    update.bind(sweep);
    if (when) update.bind(when->ns);
    update.run();
  }
  // Once all are marked: of two that want the same attempt, one alone holds nothing.
  for (std::size_t i = 0; when && i < sweeps.size(); ++i) {
    count_open(connection, sweeps[i], receipt.sweeps[i]);
  }
  receipt.holds = holds_of(connection, changed, Look::kAlways);
}

}  // namespace

Result<Store::PauseReceipt> Store::pause_sweeps(const std::vector<SweepId>& sweeps, WallTime when) {
  Connection& connection = state_->connection;
  return state_->transact("pausing sweeps", [&]() -> Result<PauseReceipt> {
    const auto rows = rows_of(connection, sweeps);
    if (!rows) return rows.error();
    for (const std::int64_t row : *rows) {
      if (auto open = check_is_open(connection, row); !open) return open.error();
    }
    PauseReceipt receipt;
    set_paused(connection, *rows, when, receipt);
    return receipt;
  });
}

Result<Store::PauseReceipt> Store::pause_all(WallTime when) {
  Connection& connection = state_->connection;
  return state_->transact("pausing all sweeps", [&]() -> Result<PauseReceipt> {
    PauseReceipt receipt;
    set_paused(connection,
               rows_of(connection,
                       std::string("SELECT DISTINCT s.id FROM attempt a JOIN sweep_attempt sa ON "
                                   "sa.attempt = a.row JOIN sweep s ON s.id = sa.sweep WHERE "
                                   "a.outcome IS NULL AND s.cancelled_ns IS NULL ORDER BY s.id")),
               when, receipt);
    return receipt;
  });
}

Result<Store::PauseReceipt> Store::resume_sweeps(const std::vector<SweepId>& sweeps) {
  Connection& connection = state_->connection;
  return state_->transact("resuming sweeps", [&]() -> Result<PauseReceipt> {
    const auto rows = rows_of(connection, sweeps);
    if (!rows) return rows.error();
    PauseReceipt receipt;
    set_paused(connection, *rows, std::nullopt, receipt);
    return receipt;
  });
}

Result<Store::PauseReceipt> Store::resume_all() {
  Connection& connection = state_->connection;
  return state_->transact("resuming all sweeps", [&]() -> Result<PauseReceipt> {
    PauseReceipt receipt;
    set_paused(connection,
               rows_of(connection, std::string("SELECT id FROM sweep WHERE paused_ns IS NOT NULL "
                                               "ORDER BY id")),
               std::nullopt, receipt);
    return receipt;
  });
}

}  // namespace sweepd
