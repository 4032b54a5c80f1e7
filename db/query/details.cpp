// Everything known of an attempt or a trial, as tables in reading order.
#include <fmt/format.h>

#include "db/query/detail_tables.h"
#include "db/query/state.h"

namespace sweepd {
namespace {

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
  for (const std::size_t i : stored_params(*def)) {
    const ParamDef& param = def->params[i];
    table.rows.push_back({{param.name, std::nullopt},
                          {param.text(values->values[i]), std::nullopt},
                          {param.text(param.default_value), std::nullopt}});
  }
  return table;
}

Table figures_table(Connection& connection, std::int64_t trial) {
  Query query(connection,
              "SELECT n.text, f.value, x.text FROM figure f JOIN name n ON n.id = f.name "
              "JOIN name x ON x.id = f.formula WHERE f.trial = ? ORDER BY n.id");
  query.bind(trial);
  return rows_table(query, "Figures", {{"figure"}, {"value", Show::kNumber}, {"formula"}});
}

Table work_table(Connection& connection, std::int64_t attempt) {
  Query query(connection,
              "SELECT n.text, pw.flops, pw.bytes, w.tokens, w.arithmetic FROM work w "
              "JOIN phase_work pw ON pw.attempt = w.attempt JOIN name n ON n.id = pw.phase "
              "WHERE w.attempt = ? ORDER BY n.text = 'step', n.id");
  query.bind(attempt);
  return rows_table(query, "Work per step",
                    {{"phase"},
                     {"work", Show::kNumber, "FLOP"},
                     {"memory traffic", Show::kNumber, "B"},
                     {"tokens", Show::kNumber},
                     {"arithmetic"}});
}

// `where` ends in one `?`, the attempt or trial.
Table summary_table(Connection& connection, const std::string& where, std::int64_t id) {
  Query query(connection,
              "SELECT substr(a.uid, 1, 8), a.pass, a.repeat, m.text, p.text, s.n, s.mean, s.std, "
              "s.min, s.p05, s.median, s.p95, s.max, s.mad FROM attempt a "
              "JOIN summary s ON s.attempt = a.row JOIN name m ON m.id = s.metric "
              "JOIN name p ON p.id = s.phase WHERE " +
                  where +
                  " ORDER BY a.pass DESC, a.repeat, a.row, m.text = 'time' DESC, m.id, "
                  "p.text = 'step', p.id");
  query.bind(id);
  return rows_table(query, "Summary",
                    {{"attempt"},
                     {"pass"},
                     {"repeat", Show::kNumber},
                     {"metric"},
                     {"phase"},
                     {"n", Show::kNumber},
                     {"mean", Show::kNumber},
                     {"std", Show::kNumber},
                     {"min", Show::kNumber},
                     {"p05", Show::kNumber},
                     {"median", Show::kNumber},
                     {"p95", Show::kNumber},
                     {"max", Show::kNumber},
                     {"mad", Show::kNumber}});
}

Table memory_table(Connection& connection, std::int64_t attempt) {
  Query query(connection,
              "SELECT m.rank, p.text, m.at_start_bytes, m.peak_allocated_bytes, m.at_end_bytes, "
              "m.peak_reserved_bytes, m.device_in_use_bytes FROM memory m "
              "JOIN name p ON p.id = m.phase WHERE m.attempt = ? "
              "ORDER BY m.rank, p.text = 'step', p.id");
  query.bind(attempt);
  return rows_table(query, "Memory",
                    {{"rank", Show::kNumber},
                     {"phase"},
                     {"allocated at start", Show::kBytes},
                     {"peak allocated", Show::kBytes},
                     {"allocated at end", Show::kBytes},
                     {"peak reserved", Show::kBytes},
                     {"device in use", Show::kBytes}});
}

Table facts_table(Connection& connection, std::int64_t attempt) {
  Query query(connection,
              "SELECT f.rank, n.text, f.number, f.text FROM fact f JOIN name n ON n.id = f.name "
              "WHERE f.attempt = ? ORDER BY f.rank, n.id");
  query.bind(attempt);
  return rows_table(query, "Facts",
                    {{"rank", Show::kNumber}, {"fact"}, {"number", Show::kNumber}, {"text"}});
}

std::string on_off(const Query& query, int column) {
  if (query.is_null(column)) return "";
  return query.integer(column) != 0 ? "on" : "off";
}

Table environment_table(Connection& connection, std::int64_t attempt) {
  PropertyTable table("Environment");
  Query query(connection,
              "SELECT h.hostname, h.uid, h.cpu_model, h.cores, h.sockets, h.memory_bytes, "
              "e.kernel, e.os, e.governor, e.torch_version, e.cuda_version, e.cudnn_version, "
              "e.nccl_version, e.build_commit, e.cpu_math, e.threads, e.tf32_matmul, e.tf32_cudnn, "
              "e.cores FROM attempt a JOIN environment e ON e.id = a.environment "
              "JOIN host h ON h.id = e.host WHERE a.row = ?");
  query.bind(attempt);
  if (!query.next()) return table.take();
  table.add("host", query.text(0)).add("host id", query.text(1)).add("CPU", query.text(2));
  table.add("cores", query.integer(3)).add("sockets", query.integer(4));
  table.add("memory", to_human(Bytes{query.integer(5)}));
  table.add("kernel", query.text(6)).add("OS", query.text(7)).add("governor", query.text(8));
  table.add("LibTorch", query.text(9)).add("CUDA", query.text(10)).add("cuDNN", query.text(11));
  table.add("NCCL", query.text(12)).add("build commit", query.text(13));
  table.add("CPU math", query.text(14)).add("threads", query.integer(15));
  table.add("TF32 in matmul", on_off(query, 16)).add("TF32 in cuDNN", on_off(query, 17));
  table.add("cores of rank 0", query.text(18));
  return table.take();
}

Table devices_table(Connection& connection, std::int64_t attempt) {
  Query query(connection,
              "SELECT ad.rank, d.kind, ad.device_index, d.name, d.uuid, d.memory_bytes, "
              "d.compute_capability, ad.driver, ad.power_limit_watts, ad.ecc "
              "FROM attempt_device ad JOIN device d ON d.id = ad.device WHERE ad.attempt = ? "
              "ORDER BY ad.rank");
  query.bind(attempt);
  return rows_table(query, "Devices",
                    {{"rank", Show::kNumber},
                     {"kind"},
                     {"index", Show::kNumber},
                     {"name"},
                     {"uuid"},
                     {"memory", Show::kBytes},
                     {"compute capability"},
                     {"driver"},
                     {"power limit", Show::kNumber, "W"},
                     {"ECC", Show::kFlag}});
}

Table states_table(Connection& connection, std::int64_t attempt) {
  Query query(connection,
              "SELECT rank, moment, sm_clock_mhz, memory_clock_mhz, temperature_celsius, "
              "power_watts, throttle_reasons, other_processes, load_average FROM device_state "
              "WHERE attempt = ? ORDER BY rank, moment DESC");
  query.bind(attempt);
  return rows_table(query, "Device state",
                    {{"rank", Show::kNumber},
                     {"moment"},
                     {"SM clock", Show::kNumber, "MHz"},
                     {"memory clock", Show::kNumber, "MHz"},
                     {"temperature", Show::kNumber, "°C"},
                     {"power", Show::kNumber, "W"},
                     {"throttling"},
                     {"other processes", Show::kNumber},
                     {"load average", Show::kNumber}});
}

Table lease_table(Connection& connection, std::int64_t attempt) {
  Query query(connection,
              "SELECT rank, cores, iif(gpu_index < 0, NULL, gpu_index), gpu_uuid FROM lease "
              "WHERE attempt = ? ORDER BY rank");
  query.bind(attempt);
  return rows_table(query, "Lease",
                    {{"rank", Show::kNumber}, {"cores"}, {"GPU", Show::kNumber}, {"GPU uuid"}});
}

Table samples_table(Connection& connection, std::int64_t attempt) {
  Query query(connection,
              "SELECT s.step, s.warmup, s.rank, p.text, m.text, s.value FROM sample s "
              "JOIN name p ON p.id = s.phase JOIN name m ON m.id = s.metric WHERE s.attempt = ? "
              "ORDER BY s.step, s.rank, m.id, p.text = 'step', p.id");
  query.bind(attempt);
  return rows_table(query, "Samples",
                    {{"step", Show::kNumber},
                     {"warm-up", Show::kFlag},
                     {"rank", Show::kNumber},
                     {"phase"},
                     {"metric"},
                     {"value", Show::kNumber}});
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
  table.add("pass", std::string(name_of(row.pass))).add("repeat", row.repeat);
  table.add("outcome", row.outcome   ? std::string(name_of(*row.outcome))
                       : row.started ? "running"
                                     : "queued");
  table.add("why", row.detail).add("verdict", row.verdict).add("reasons", row.verdict_reasons);
  table.add("started", row.started).add("ended", row.ended);
  if (row.started && row.ended) table.add("took", to_human(*row.ended - *row.started));
  return table.take();
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
                                "SELECT s.uid, s.name, sa.origin FROM sweep_attempt sa "
                                "JOIN sweep s ON s.id = sa.sweep WHERE sa.attempt = ? "
                                "ORDER BY s.id",
                                row));
    append(tables, parameters_table(*state_, trial.integer(0), attempt->workload));
    append(tables, figures_table(connection, trial.integer(0)));
    append(tables, work_table(connection, row));
    append(tables, summary_table(connection, "a.row = ?", row));
    append(tables, memory_table(connection, row));
    append(tables, facts_table(connection, row));
    append(tables, environment_table(connection, row));
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
    append(tables, summary_table(connection, "a.trial = ? AND a.is_current = 1", trial->id));
    return tables;
  });
}

}  // namespace sweepd
