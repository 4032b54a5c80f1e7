#include "db/catalog_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "db/migrate.h"
#include "db/param_columns.h"
#include "runner/base/text.h"

namespace sweepd {
namespace {

// The views' own columns, in order. They follow the parameters.
constexpr std::string_view kTimingColumns = R"(
       phase.text AS phase,
       s.n AS n, s.mean AS mean, s.std AS std, s.min AS min, s.p05 AS p05, s.median AS median,
       s.p95 AS p95, s.max AS max, s.mad AS mad,
       w.tokens AS tokens, pw.flops AS flops, pw.bytes AS bytes)";
constexpr std::string_view kMemoryColumns = R"(
       phase.text AS phase, m.rank AS rank,
       m.at_start_bytes AS at_start_bytes, m.at_end_bytes AS at_end_bytes,
       m.peak_allocated_bytes AS peak_allocated_bytes,
       m.peak_reserved_bytes AS peak_reserved_bytes,
       m.device_in_use_bytes AS device_in_use_bytes)";
constexpr std::string_view kCommonColumns = R"(
       a.verdict AS verdict, a.outcome AS outcome, a.repeat AS repeat, h.hostname AS host,
       d.name AS device_name, t.key AS trial_key, a.uid AS attempt_uid)";
constexpr std::string_view kTimingJoins = R"(
LEFT JOIN summary s ON s.attempt = a.row AND a.outcome = 'done'
     AND s.metric = (SELECT id FROM name WHERE text = 'time')
LEFT JOIN name phase ON phase.id = s.phase
LEFT JOIN work w ON w.attempt = a.row
LEFT JOIN phase_work pw ON pw.attempt = a.row AND pw.phase = s.phase)";
constexpr std::string_view kMemoryJoins = R"(
LEFT JOIN memory m ON m.attempt = a.row AND a.outcome = 'done'
LEFT JOIN name phase ON phase.id = m.phase)";

const std::vector<std::string> kViewColumns{"phase",
                                            "n",
                                            "mean",
                                            "std",
                                            "min",
                                            "p05",
                                            "median",
                                            "p95",
                                            "max",
                                            "mad",
                                            "tokens",
                                            "flops",
                                            "bytes",
                                            "verdict",
                                            "outcome",
                                            "repeat",
                                            "host",
                                            "device_name",
                                            "trial_key",
                                            "attempt_uid",
                                            "rank",
                                            "at_start_bytes",
                                            "at_end_bytes",
                                            "peak_allocated_bytes",
                                            "peak_reserved_bytes",
                                            "device_in_use_bytes"};

// A parameter that has the name of one of the view's own columns gets the prefix `param_`.
std::string view_column(const std::string& param) {
  const bool taken =
      std::find(kViewColumns.begin(), kViewColumns.end(), param) != kViewColumns.end();
  return taken ? "param_" + param : param;
}

std::string make_view(const WorkloadDef& def, const std::string& name, std::string_view pass,
                      std::string_view columns, std::string_view joins) {
  std::string params;
  for (const std::size_t i : stored_params(def)) {
    const std::string& param = def.params[i].name;
    params += fmt::format("p.{} AS {}, ", sql_name(param), sql_name(view_column(param)));
  }
  return fmt::format(
      "CREATE VIEW {} AS\nSELECT {}{},{}\nFROM {} p\nJOIN trial t ON t.id = p.trial\n"
      "JOIN attempt a ON a.trial = p.trial AND a.pass = '{}' AND a.is_current = 1\n"
      "JOIN host h ON h.id = a.host\n"
      "LEFT JOIN attempt_device ad ON ad.attempt = a.row AND ad.rank = 0\n"
      "LEFT JOIN device d ON d.id = ad.device{}",
      sql_name(name), params, columns, kCommonColumns, sql_name(params_table(def.name)), pass,
      joins);
}

std::map<std::string, std::string> columns_of(Connection& connection, const std::string& table) {
  std::map<std::string, std::string> types;
  Query info(connection, "SELECT name, type FROM pragma_table_info(?)");
  info.bind(table);
  while (info.next()) types[info.text(0)] = info.text(1);
  return types;
}

Result<void> grow_params(Connection& connection, const WorkloadDef& def) {
  const std::string table = params_table(def.name);
  auto present = columns_of(connection, table);
  if (present.empty()) {
    connection.execute(
        fmt::format("CREATE TABLE {} (trial INTEGER PRIMARY KEY REFERENCES trial (id)) STRICT",
                    sql_name(table)));
  }
  for (const std::size_t i : stored_params(def)) {
    const ParamDef& param = def.params[i];
    const auto found = present.find(param.name);
    if (found != present.end() && found->second == sql_type(param.type)) continue;
    if (found != present.end() || param.name == "trial") {
      return Error{ErrorCode::kFailedPrecondition,
                   fmt::format("parameter `{}` of workload `{}` is {} now, but its column holds {} "
                               "in this database; give the parameter another name",
                               param.name, def.name, name_of(param.type),
                               param.name == "trial" ? "the trial's number" : found->second)};
    }
    // Trials that are older than the parameter were measured with the value that is its default
    // now.
    connection.execute(fmt::format("ALTER TABLE {} ADD COLUMN {} {} NOT NULL DEFAULT {}",
                                   sql_name(table), sql_name(param.name), sql_type(param.type),
                                   sql_literal(param.default_value)));
  }
  return {};
}

Result<void> check_name(Connection& connection, const std::string& workload,
                        const std::string& view) {
  Query taken(connection,
              "SELECT 1 FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE AND type = 'table'");
  taken.bind(view);
  const bool ours = embedded_views().find("CREATE VIEW " + view + " ") != std::string_view::npos;
  if (!ours && !taken.next()) return {};
  return Error{ErrorCode::kFailedPrecondition,
               fmt::format("workload `{}`: its view would be called `{}`, which is a table or view "
                           "of sweepd; rename the workload",
                           workload, view)};
}

}  // namespace

std::string workload_view(const WorkloadDef& def) {
  return make_view(def, def.name, "timing", kTimingColumns, kTimingJoins);
}

std::string workload_memory_view(const WorkloadDef& def) {
  return make_view(def, def.name + "_memory", "memory", kMemoryColumns, kMemoryJoins);
}

Result<void> apply_catalog(Connection& connection, const Catalog& catalog) {
  for (const WorkloadDef& def : catalog.workloads) {
    for (const std::string& view : {def.name, def.name + "_memory"}) {
      if (auto free = check_name(connection, def.name, view); !free) return free;
    }
    if (auto grown = grow_params(connection, def); !grown) return grown;
    refresh_view(connection, def.name, workload_view(def));
    refresh_view(connection, def.name + "_memory", workload_memory_view(def));
  }
  return {};
}

}  // namespace sweepd
