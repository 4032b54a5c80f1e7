// The commands that run when sweeps have ended.
#include <fmt/format.h>

#include "db/store/state.h"
#include "runner/model/attempt/notification.h"

namespace sweepd {
namespace {

// An attempt that is still open is one of the last as a rule, so the search begins there.
constexpr const char* kDue =
    "SELECT s.id, s.uid, s.name, n.command, s.submitted_ns FROM notification n JOIN sweep s "
    "ON s.id = n.sweep WHERE n.begun_ns IS NULL AND (SELECT sa.attempt FROM sweep_attempt sa "
    "CROSS JOIN attempt a ON a.row = sa.attempt WHERE sa.sweep = s.id AND a.outcome IS NULL "
    "ORDER BY sa.attempt DESC LIMIT 1) IS NULL ORDER BY s.id LIMIT 1";

void count_outcomes(Connection& connection, std::int64_t row, EndedSweep& sweep) {
  Query query(
      connection,
      "SELECT a.outcome, count(*), max(iif(sa.origin = 'reused', 0, a.ended_ns)) FROM "
      "sweep_attempt sa JOIN attempt a ON a.row = sa.attempt WHERE sa.sweep = ? GROUP BY 1");
  query.bind(row);
  while (query.next()) {
    if (const auto outcome = find_outcome(query.text(0))) {
      sweep.by_outcome[static_cast<std::size_t>(*outcome)] += query.integer(1);
    }
    sweep.ended.ns = std::max(sweep.ended.ns, query.integer(2));
  }
}

}  // namespace

Result<bool> Store::owes_notifications() {
  return state_->transact("looking for notifications", [&]() -> Result<bool> {
    return Query(state_->connection, "SELECT 1 FROM notification WHERE begun_ns IS NULL LIMIT 1")
        .next();
  });
}

Result<std::optional<EndedSweep>> Store::begin_notification(WallTime now) {
  using Due = std::optional<EndedSweep>;
  Connection& connection = state_->connection;
  return state_->transact("beginning a notification", [&]() -> Result<Due> {
    EndedSweep sweep;
    std::int64_t row = 0;
    {
      Query query(connection, kDue);
      if (!query.next()) return Due();
      row = query.integer(0);
      sweep.id = query.text(1);
      sweep.name = query.text(2);
      sweep.command = query.text(3);
      sweep.submitted = sweep.ended = WallTime{query.integer(4)};
    }
    count_outcomes(connection, row, sweep);
    Query(connection, "UPDATE notification SET begun_ns = ? WHERE sweep = ?")
        .bind_all(now.ns, row)
        .run();
    return Due(std::move(sweep));
  });
}

Result<void> Store::end_notification(const SweepId& sweep, WallTime now,
                                     const std::string& problem) {
  return state_->transact("ending a notification", [&]() -> Result<void> {
    Query(state_->connection,
          "UPDATE notification SET ended_ns = ?, problem = ? WHERE sweep = (SELECT id FROM sweep "
          "WHERE uid = ?) AND begun_ns IS NOT NULL")  // not if a retry made it due again
        .bind_all(now.ns, problem, sweep)
        .run();
    return {};
  });
}

Result<void> Store::end_lost_notifications(WallTime now) {
  return state_->transact("ending notifications", [&]() -> Result<void> {
    Query(state_->connection,
          "UPDATE notification SET ended_ns = ?, problem = 'its outcome is unknown: the daemon "
          "ended while it ran' WHERE begun_ns IS NOT NULL AND ended_ns IS NULL")
        .bind(now.ns)
        .run();
    return {};
  });
}

}  // namespace sweepd
