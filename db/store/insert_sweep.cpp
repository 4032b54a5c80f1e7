#include "db/store/insert_sweep.h"

#include "db/base/sweep_axes.h"
#include "db/store/insert_tables.h"

namespace sweepd {

std::int64_t insert_sweep(Connection& connection, const NewSweep& request, const WorkloadDef& def) {
  const Sweep& sweep = request.sweep;
  Query(connection,
        "INSERT INTO sweep (uid, name, description, workload, trial_order, submitted_ns, source, "
        "sentinel_ns) VALUES (?, ?, ?, ?, ?, ?, ?, nullif(?, 0))")
      .bind_all(request.id, sweep.name, sweep.description, sweep.workload, name_of(sweep.order),
                request.submitted.ns, sweep.source, sweep.sentinel.ns)
      .run();
  const std::int64_t row = connection.database().getLastInsertRowid();
  for (std::size_t i = 0; i < sweep.passes.size(); ++i) {
    Query(connection, "INSERT INTO sweep_pass (sweep, position, pass) VALUES (?, ?, ?)")
        .bind_all(row, static_cast<std::int64_t>(i), name_of(sweep.passes[i]))
        .run();
  }
  insert_axes(connection, row, def, axes_of(sweep));
  insert_tables(connection, row, sweep.tables);
  return row;
}

TrialRow find_or_insert_trial(Connection& connection, const WorkloadDef& def, ParamTable& params,
                              const NewTrial& wanted) {
  TrialRow trial;
  {
    Query known(connection, "SELECT id FROM trial WHERE key = ?");
    known.bind(wanted.key);
    if (known.next()) {
      trial.row = known.integer(0);
      return trial;
    }
  }
  const auto base =
      wanted.base_key.empty() ? std::nullopt : std::optional<std::string>(wanted.base_key);
  Query(connection, "INSERT INTO trial (key, workload, version, base_key) VALUES (?, ?, ?, ?)")
      .bind_all(wanted.key, def.name, def.version, base)
      .run();
  trial.row = connection.database().getLastInsertRowid();
  trial.is_new = true;
  params.insert(trial.row, wanted.trial);
  return trial;
}

}  // namespace sweepd
