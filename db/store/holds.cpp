#include "db/store/holds.h"

#include "db/base/held.h"
#include "db/base/pool_hosts.h"

namespace sweepd {
namespace {

void add(Holds& holds, const Query& query) {
  (query.integer(1) != 0 ? holds.held : holds.released).push_back(query.integer(0));
}

}  // namespace

Holds holds_of(Connection& connection, const std::vector<std::int64_t>& sweeps, Look look) {
  Holds holds;
  if (look == Look::kIfAnyIsPaused && !any_paused(connection)) return holds;
  for (const std::int64_t sweep : sweeps) {
    Query query(connection, "SELECT a.row, " + is_held("a") +
                                " FROM sweep_attempt sa JOIN attempt a ON a.row = sa.attempt "
                                "WHERE sa.sweep = ? AND a.outcome IS NULL ORDER BY a.position");
    query.bind(sweep);
    while (query.next()) add(holds, query);
  }
  return holds;
}

void add_holds(Connection& connection, std::int64_t sweep, SubmitReceipt& receipt) {
  if (receipt.attempts_joined == 0 || !any_paused(connection)) return;
  receipt.holds = holds_of(connection, {sweep}, Look::kAlways);
  if (receipt.is_paused) return;
  Query query(connection,
              "SELECT count(*) FROM sweep_attempt sa JOIN attempt a ON a.row = "
              "sa.attempt WHERE sa.sweep = ?1 AND sa.origin = 'joined' AND a.outcome "
              "IS NULL AND " +
                  left_queue_ns("a") + " IS NULL AND " + is_held("a", "?1"));
  query.bind(sweep);
  query.next();
  receipt.attempts_released = query.integer(0);
}

std::vector<std::int64_t> with_sentinel(Connection& connection, std::int64_t sweep) {
  std::vector<std::int64_t> sweeps{sweep};
  Query query(connection,
              "SELECT id FROM sweep WHERE sentinel_of = (SELECT uid FROM sweep WHERE id = ?)");
  query.bind(sweep);
  while (query.next()) sweeps.push_back(query.integer(0));
  return sweeps;
}

}  // namespace sweepd
