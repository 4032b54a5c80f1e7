#include <fmt/format.h>
#include <fmt/ranges.h>

#include "db/base/param_columns.h"
#include "db/query/state.h"
#include "runner/model/vocabulary/program.h"

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
    std::vector<std::string> names;
    for (const std::string_view name : kReadingParams) {
      if (def->find(name) != nullptr) names.emplace_back(name);
    }
    Query query(
        state_->connection,
        fmt::format("SELECT DISTINCT a.row, a.uid, ph.pool, p.{} FROM sweep_attempt sa "
                    "JOIN attempt a ON a.row = sa.attempt JOIN host ph ON ph.id = a.host "
                    "JOIN {} p ON p.trial = a.trial WHERE sa.sweep = ? AND a.pass = 'timing' "
                    "AND a.outcome = 'done' ORDER BY a.row",
                    fmt::join(names, ", p."), sql_name(params_table(workload))));
    query.bind(*row);
    std::vector<StoredOutputRow> outputs;
    while (query.next()) {
      StoredOutputRow& output =
          outputs.emplace_back(StoredOutputRow{query.integer(0), query.text(1), query.text(2), {}});
      for (std::size_t i = 0; i < names.size(); ++i) {
        output.reading.emplace_back(names[i], query.text(static_cast<int>(i) + 3));
      }
    }
    return outputs;
  });
}

}  // namespace sweepd
