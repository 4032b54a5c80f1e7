#include "db/query/state.h"

namespace sweepd {

Result<std::int64_t> Reader::codes_of_sweep(const SweepId& sweep) {
  return state_->ask("reading what ran", [&]() -> Result<std::int64_t> {
    const auto row = sweep_row(*state_, sweep);
    if (!row) return row.error();
    Query query(state_->connection,
                "SELECT count(DISTINCT e.code) FROM sweep_attempt sa JOIN attempt a ON a.row = "
                "sa.attempt JOIN environment e ON e.id = a.environment WHERE sa.sweep = ? AND "
                "a.outcome = 'done'");
    query.bind(*row);
    query.next();
    return query.integer(0);
  });
}

}  // namespace sweepd
