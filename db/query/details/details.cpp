// Returns everything known about an attempt or a trial, as tables in reading order.
#include <fmt/format.h>

#include "db/query/details/attempt_tables.h"
#include "db/query/details/detail_tables.h"
#include "db/query/details/kernel_tables.h"
#include "db/query/partial_steps_reader.h"
#include "db/query/state.h"
#include "runner/model/attempt/attempt_record.h"
#include "runner/model/vocabulary/pool_name.h"

namespace sweepd {
namespace {

// Whether another tool recorded the trial, so that sweepd only read its files.
bool is_recorded(Connection& connection, std::int64_t trial) {
  Query query(connection,
              "SELECT EXISTS (SELECT 1 FROM attempt a JOIN fact f ON f.attempt = a.row "
              "JOIN name n ON n.id = f.name WHERE a.trial = ? AND n.text = ?)");
  query.bind_all(trial, kRecordedFact);
  return query.next() && query.integer(0) != 0;
}

Table parameters_table(ReaderState& state, std::int64_t trial, const std::string& workload) {
  Table table;
  table.title = "Parameters";
  table.columns = {{"parameter", "", Align::kLeft},
                   {"value", "", Align::kRight},
                   {"default", "", Align::kRight}};
  const WorkloadDef* def = state.catalog.find(workload);
  if (def == nullptr) return table;
  const auto values = ParamTable(state.connection, *def).read(trial);
  if (!values) return table;
  const bool recorded = is_recorded(state.connection, trial);
  for (const std::size_t i : stored_params(*def)) {
    const ParamDef& param = def->params[i];
    if (recorded && param.run_param && param.name != "world_size") continue;  // nothing ran
    table.rows.push_back({{param.name, std::nullopt},
                          {param.text(values->values[i]), std::nullopt},
                          {param.text(param.default_value), std::nullopt}});
  }
  return table;
}

Table figures_table(Connection& connection, std::int64_t trial) {
  Query query(connection,
              "SELECT n.text, f.value, x.text FROM figure f JOIN name n ON n.id = f.name "
              "JOIN name x ON x.id = f.formula WHERE f.trial = ? ORDER BY f.position, n.text");
  query.bind(trial);
  return rows_table(query, "Figures", {{"figure"}, {"value", Show::kNumber}, {"formula"}});
}

Table sweeps_table(Connection& connection, const std::string& sql, std::int64_t id) {
  Query query(connection, sql);
  query.bind(id);
  return rows_table(query, "Sweeps", {{"sweep"}, {"name"}, {"how"}});
}

Table attempt_table(const AttemptRow& row, std::int64_t version) {
  PropertyTable table("Attempt");
  table.add("attempt", row.id).add("trial", row.trial_key).add("workload", row.workload);
  table.add("version", version);
  if (row.pool != kLocalPool) table.add("pool", row.pool);
  table.add("pass", std::string(name_of(row.pass))).add("repeat", row.repeat);
  table.add("outcome", row.state);
  table.add("why", row.detail).add("verdict", row.verdict).add("reasons", row.verdict_reasons);
  table.add("started", row.started).add("ended", row.ended);
  if (row.started && row.ended) table.add("took", to_human(*row.ended - *row.started));
  return table.take();
}

// An attempt that its pool took away is queued again.
Table losses_table(Connection& connection, std::int64_t row) {
  Query query(
      connection,
      "SELECT strftime('%Y-%m-%dT%H:%M:%SZ', lost_ns / 1000000000, 'unixepoch'), reason FROM "
      "attempt_loss WHERE attempt = ? ORDER BY position");
  query.bind(row);
  return rows_table(query, "Began again after", {{"when"}, {"why"}});
}

Table attempts_table(Connection& connection, std::int64_t trial) {
  Query query(
      connection,
      "SELECT v.attempt_uid, v.pass, v.repeat, v.is_current, coalesce(v.outcome, v.state), "
      "v.verdict, v.started, v.duration_s, v.host, v.device_name, v.message FROM attempts v "
      "JOIN attempt a ON a.row = v.row WHERE a.trial = ? "
      "ORDER BY a.pass DESC, a.repeat, a.row");
  query.bind(trial);
  return rows_table(query, "Attempts",
                    {{"attempt"},
                     {"pass"},
                     {"repeat", Show::kNumber},
                     {"counts", Show::kFlag},
                     {"outcome"},
                     {"verdict"},
                     {"started"},
                     {"took", Show::kNumber, "s"},
                     {"host"},
                     {"device"},
                     {"message"}});
}

}  // namespace

Result<std::vector<Table>> Reader::attempt_details(std::int64_t row, bool steps) {
  return state_->ask("showing an attempt", [&]() -> Result<std::vector<Table>> {
    Connection& connection = state_->connection;
    const auto attempt = attempt_row(*state_, row);
    if (!attempt) return attempt.error();
    Query trial(connection,
                "SELECT t.id, t.version FROM attempt a JOIN trial t ON t.id = a.trial "
                "WHERE a.row = ?");
    trial.bind(row);
    trial.next();
    std::vector<Table> tables;
    append(tables, attempt_table(*attempt, trial.integer(1)));
    append(tables, sweeps_table(connection,
                                "SELECT s.uid, s.name, sa.origin || CASE WHEN "
                                "st.submitted_code IS NULL THEN '' ELSE ' (of an older program)' "
                                "END FROM sweep_attempt sa JOIN sweep s ON s.id = sa.sweep "
                                "JOIN attempt a ON a.row = sa.attempt LEFT JOIN sweep_trial st ON "
                                "st.sweep = sa.sweep AND st.trial = a.trial AND st.pool = (SELECT "
                                "pool FROM host WHERE id = a.host) WHERE sa.attempt = ? "
                                "ORDER BY s.id",
                                row));
    append(tables, losses_table(connection, row));
    append(tables, parameters_table(*state_, trial.integer(0), attempt->workload));
    append(tables, figures_table(connection, trial.integer(0)));
    append(tables, work_table(connection, row));
    Table summary = summary_table(connection, "a.row = ?", row);
    if (const auto partial = PartialStepsReader(*state_).read(row)) {
      summary.title += ", " + heading_of(*partial, *attempt->outcome());
    }
    append(tables, std::move(summary));
    append(tables, memory_table(connection, row));
    append(tables, profile_table(connection, row));
    if (attempt->pass == Pass::kProfile) {
      for (const KernelGrouping by : {KernelGrouping::kClass, KernelGrouping::kName}) {
        KernelView view;
        view.by = by;
        view.top = 10;
        append(tables, kernel_table(connection, row, view));
      }
    }
    append(tables, facts_table(connection, row));
    Table environment = environment_table(connection, row);
    if (is_recorded(connection, trial.integer(0))) environment.title += " of the import";
    append(tables, std::move(environment));
    append(tables, devices_table(connection, row));
    append(tables, states_table(connection, row));
    append(tables, lease_table(connection, row));
    if (steps) append(tables, samples_table(connection, row));
    return tables;
  });
}

Result<std::vector<Table>> Reader::trial_details(const std::string& key_prefix) {
  return state_->ask("showing a trial", [&]() -> Result<std::vector<Table>> {
    Connection& connection = state_->connection;
    const auto trial = trial_by_prefix(*state_, key_prefix);
    if (!trial) return trial.error();
    std::vector<Table> tables;
    append(tables, PropertyTable("Trial")
                       .add("trial", trial->key)
                       .add("workload", trial->workload)
                       .add("version", trial->version)
                       .take());
    append(tables, sweeps_table(connection,
                                "SELECT s.uid, s.name, group_concat(DISTINCT sa.origin) "
                                "FROM attempt a JOIN sweep_attempt sa ON sa.attempt = a.row "
                                "JOIN sweep s ON s.id = sa.sweep WHERE a.trial = ? "
                                "GROUP BY s.id ORDER BY s.id",
                                trial->id));
    append(tables, parameters_table(*state_, trial->id, trial->workload));
    append(tables, figures_table(connection, trial->id));
    append(tables, attempts_table(connection, trial->id));
    append(tables,
           summary_table(connection, "a.trial = ? AND a.is_current = 1 AND a.outcome = 'done'",
                         trial->id));
    return tables;
  });
}

}  // namespace sweepd
