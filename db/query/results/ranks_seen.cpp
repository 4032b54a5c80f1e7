#include <fmt/format.h>

#include "db/base/param_columns.h"
#include "db/query/planning/own_results.h"
#include "db/query/state.h"
#include "runner/model/vocabulary/program.h"

namespace sweepd {
namespace {

// Ranks that work together store how long they took to find each other. A program's do not.
constexpr const char* kMeeting = "rendezvous_time";

bool is_program(const Catalog& catalog, const std::string& workload) {
  const WorkloadDef* def = catalog.find(workload);
  return workload == kProgramBase || (def != nullptr && def->base == kProgramBase);
}

}  // namespace

Result<RanksSeen> Reader::ranks_seen(const QuerySpec& query) {
  return state_->ask("reading ranks", [&]() -> Result<RanksSeen> {
    std::string workload = query.workload;
    std::optional<std::int64_t> sweep;
    if (!query.sweep.empty()) {
      const auto row = sweep_row(*state_, query.sweep);
      if (!row) return row.error();
      sweep = *row;
      Query name(state_->connection, "SELECT workload FROM sweep WHERE id = ?");
      name.bind(*row);
      name.next();
      workload = name.text(0);
    }
    Query query_ranks(
        state_->connection,
        fmt::format("SELECT EXISTS (SELECT 1 FROM summary s WHERE s.attempt = a.row AND s.metric = "
                    "(SELECT id FROM name WHERE text = '{}')) AS met "
                    "FROM {} p CROSS JOIN attempt a ON a.trial = p.trial "
                    "WHERE p.world_size > 1 {}AND {} AND a.pass = 'timing' AND a.outcome = 'done' "
                    "ORDER BY met LIMIT 1",
                    kMeeting, sql_name(params_table(workload)),
                    sweep ? "AND p.trial IN (SELECT trial FROM sweep_trial WHERE sweep = ?1) " : "",
                    sweep && !query.newest ? counts_for_sweep("a", "?1") : "a.is_current = 1"));
    if (sweep) query_ranks.bind(*sweep);
    RanksSeen seen;
    seen.several = query_ranks.next();
    seen.apart =
        seen.several && query_ranks.integer(0) == 0 && !is_program(state_->catalog, workload);
    return seen;
  });
}

}  // namespace sweepd
