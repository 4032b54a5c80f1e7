#include <fmt/format.h>

#include "db/base/param_columns.h"
#include "db/query/state.h"

namespace sweepd {

Result<std::vector<StoredOutputRow>> Reader::outputs_of_sweep(const SweepId& sweep) {
  return state_->ask("listing outputs", [&]() -> Result<std::vector<StoredOutputRow>> {
    const auto row = sweep_row(*state_, sweep);
    if (!row) return row.error();
    Query of(state_->connection, "SELECT workload FROM sweep WHERE id = ?");
    of.bind(*row);
    const std::string workload = of.next() ? of.text(0) : "";
    const WorkloadDef* def = state_->catalog.find(workload);
    if (def == nullptr || def->find("patterns") == nullptr) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("`{}` reads no output, so none can be read again", workload)};
    }
    Query query(
        state_->connection,
        fmt::format("SELECT DISTINCT a.row, a.uid, ph.pool, p.patterns FROM sweep_attempt sa "
                    "JOIN attempt a ON a.row = sa.attempt JOIN host ph ON ph.id = a.host "
                    "JOIN {} p ON p.trial = a.trial WHERE sa.sweep = ? AND a.pass = 'timing' "
                    "AND a.outcome = 'done' ORDER BY a.row",
                    sql_name(params_table(workload))));
    query.bind(*row);
    std::vector<StoredOutputRow> outputs;
    while (query.next()) {
      outputs.push_back({query.integer(0), query.text(1), query.text(2), query.text(3)});
    }
    return outputs;
  });
}

}  // namespace sweepd
