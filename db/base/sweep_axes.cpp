#include "db/base/sweep_axes.h"

#include <fmt/format.h>

#include <algorithm>

#include "db/base/param_columns.h"
#include "runner/base/text.h"

namespace sweepd {
namespace {

// The column of sweep_trial with a parameter that may differ between sweeps.
std::string per_sweep_column(const ParamDef& param) {
  return param.name == "timeout" ? "timeout_ns" : param.name;
}

SweepAxes differing_params(Connection& connection, std::int64_t sweep, const WorkloadDef& def) {
  SweepAxes candidates;
  std::vector<std::string> differ;
  for (std::size_t i = 0; i < def.params.size(); ++i) {
    const ParamDef& param = def.params[i];
    if (param.computed) continue;
    const std::string column =
        is_per_sweep(param) ? "st." + per_sweep_column(param) : "p." + sql_name(param.name);
    candidates.push_back(i);
    differ.push_back(fmt::format("min({0}) IS NOT max({0})", column));
  }
  if (candidates.empty()) return {};
  Query query(connection, fmt::format("SELECT {} FROM sweep_trial st JOIN {} p ON p.trial = "
                                      "st.trial WHERE st.sweep = ?",
                                      join(differ, ", "), sql_name(params_table(def.name))));
  query.bind(sweep);
  SweepAxes axes;
  if (!query.next()) return axes;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (query.integer(static_cast<int>(i)) != 0) axes.push_back(candidates[i]);
  }
  return axes;
}

}  // namespace

void insert_axes(Connection& connection, std::int64_t sweep, const WorkloadDef& def,
                 const SweepAxes& axes) {
  std::int64_t position = 0;
  for (const std::size_t axis : axes) {
    Query(connection, "INSERT INTO sweep_axis (sweep, position, name) VALUES (?, ?, ?)")
        .bind_all(sweep, position++, def.params[axis].name)
        .run();
  }
}

SweepAxes read_axes(Connection& connection, std::int64_t sweep, const WorkloadDef& def) {
  SweepAxes axes;
  bool declared = false;
  Query query(connection, "SELECT name FROM sweep_axis WHERE sweep = ? ORDER BY position");
  query.bind(sweep);
  while (query.next()) {
    declared = true;
    if (const auto param = def.index_of(query.text(0))) axes.push_back(*param);
  }
  return declared ? axes : differing_params(connection, sweep, def);
}

std::string first_sweep_of(const std::string& row) {
  return "(SELECT fs.id FROM sweep_attempt fsa JOIN sweep fs ON fs.id = fsa.sweep WHERE "
         "fsa.attempt = " +
         row + " ORDER BY fs.cancelled_ns IS NOT NULL, fs.id LIMIT 1)";
}

void set_per_sweep(Connection& connection, std::int64_t sweep, std::int64_t trial_row,
                   const std::string& pool, const WorkloadDef& def, Trial& trial) {
  if (const auto param = pool_param(def)) trial.values[*param] = pool;
  Query query(connection,
              "SELECT priority, timeout_ns, repeats FROM sweep_trial WHERE sweep = ? AND trial = ? "
              "AND pool = ?");
  query.bind_all(sweep, trial_row, pool);
  if (!query.next()) return;
  int column = 0;
  for (const char* name : {"priority", "timeout", "repeats"}) {
    const auto param = def.index_of(name);
    if (param && is_per_sweep(def.params[*param])) trial.values[*param] = query.integer(column);
    ++column;
  }
}

}  // namespace sweepd
