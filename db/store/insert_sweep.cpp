#include "db/store/insert_sweep.h"

#include <fmt/format.h>

#include <algorithm>

#include "db/base/sweep_axes.h"
#include "db/base/sweep_declarations.h"
#include "runner/base/text.h"
#include "runner/model/vocabulary/program.h"

namespace sweepd {
namespace {

// Whether the trial is stored with other parameters of reading (kReadingParams).
bool reads_differently(Connection& connection, const WorkloadDef& def, std::int64_t row,
                       const Trial& trial) {
  std::vector<std::string> same;
  std::vector<std::size_t> params;
  for (const std::size_t i : stored_params(def)) {
    if (std::ranges::find(kReadingParams, def.params[i].name) == kReadingParams.end()) continue;
    // Older trials do not have a parameter that is new.
    same.push_back("coalesce(" + sql_name(def.params[i].name) + ", '') = ?");
    params.push_back(i);
  }
  if (params.empty()) return false;
  Query stored(connection, fmt::format("SELECT {} FROM {} WHERE trial = ?", join(same, " AND "),
                                       sql_name(params_table(def.name))));
  for (const std::size_t i : params) bind_value(stored, trial.values[i]);
  stored.bind(row);
  return stored.next() && stored.integer(0) == 0;
}

// The folder of a submission is no part of a trial: the last submission locates its program.
void set_origin(Connection& connection, const WorkloadDef& def, std::int64_t row,
                const Trial& trial) {
  std::vector<std::string> set;
  std::vector<std::size_t> params;
  for (const std::size_t i : stored_params(def)) {
    if (def.params[i].role != ParamRole::kScheduling) continue;
    set.push_back(sql_name(def.params[i].name) + " = ?");
    params.push_back(i);
  }
  if (params.empty()) return;
  Query update(connection, fmt::format("UPDATE {} SET {} WHERE trial = ?",
                                       sql_name(params_table(def.name)), join(set, ", ")));
  for (const std::size_t i : params) bind_value(update, trial.values[i]);
  update.bind(row).run();
}

}  // namespace

std::int64_t insert_sweep(Connection& connection, const NewSweep& request, const WorkloadDef& def) {
  const Sweep& sweep = request.sweep;
  Query(connection,
        "INSERT INTO sweep (uid, name, description, workload, trial_order, submitted_ns, source, "
        "sentinel_ns, frontier) VALUES (?, ?, ?, ?, ?, ?, ?, nullif(?, 0), ?)")
      .bind_all(request.id, sweep.name, sweep.description, sweep.workload, name_of(sweep.order),
                request.submitted.ns, sweep.source, sweep.sentinel.ns, sweep.frontier ? 1 : 0)
      .run();
  const std::int64_t row = connection.database().getLastInsertRowid();
  if (!request.notify.empty()) {
    Query(connection, "INSERT INTO notification (sweep, command) VALUES (?, ?)")
        .bind_all(row, request.notify)
        .run();
  }
  for (std::size_t i = 0; i < sweep.passes.size(); ++i) {
    Query(connection, "INSERT INTO sweep_pass (sweep, position, pass) VALUES (?, ?, ?)")
        .bind_all(row, static_cast<std::int64_t>(i), name_of(sweep.passes[i]))
        .run();
  }
  insert_axes(connection, row, def, axes_of(sweep));
  insert_declarations(connection, row, sweep);
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
      trial.reads_differently = reads_differently(connection, def, trial.row, wanted.trial);
      set_origin(connection, def, trial.row, wanted.trial);
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
