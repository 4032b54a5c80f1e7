#include "db/base/catalog_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "db/base/migrate.h"
#include "db/base/param_columns.h"
#include "db/base/record_views.h"
#include "runner/base/text.h"

namespace sweepd {
namespace {

// The views' own columns, in order, each as "expression AS name". They follow the parameters.
using ViewColumns = std::vector<std::pair<std::string, std::string>>;

void add(ViewColumns& columns, const std::string& table, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    columns.emplace_back(fmt::format("{}.{}", table, name), name);
}

ViewColumns timing_columns() {
  ViewColumns columns{{"phase.text", "phase"}};
  add(columns, "s", summary_columns());
  add(columns, "w", {"tokens"});
  add(columns, "pw", {"flops", "bytes", "recomputed_flops"});
  return columns;
}

ViewColumns memory_view_columns() {
  ViewColumns columns{{"phase.text", "phase"}, {"m.rank", "rank"}};
  add(columns, "m", memory_columns());
  return columns;
}

ViewColumns common_columns() {
  return {{"a.verdict", "verdict"}, {"a.outcome", "outcome"},  {"a.repeat", "repeat"},
          {"h.hostname", "host"},   {"d.name", "device_name"}, {"t.key", "trial_key"},
          {"a.uid", "attempt_uid"}, {"h.pool", "pool"}};
}

constexpr std::string_view kTimingJoins = R"(
LEFT JOIN summary s ON s.attempt = a.row AND a.outcome = 'done'
     AND s.metric = (SELECT id FROM name WHERE text = 'time')
LEFT JOIN name phase ON phase.id = s.phase
LEFT JOIN work w ON w.attempt = a.row
LEFT JOIN phase_work pw ON pw.attempt = a.row AND pw.phase = s.phase)";
constexpr std::string_view kMemoryJoins = R"(
LEFT JOIN memory m ON m.attempt = a.row AND a.outcome = 'done'
LEFT JOIN name phase ON phase.id = m.phase)";

// Is it a column of one of the two views itself?
bool is_own_column(const std::string& name) {
  static const std::set<std::string> names = [] {
    std::set<std::string> own;
    for (const ViewColumns& columns : {timing_columns(), memory_view_columns(), common_columns()}) {
      for (const auto& [expression, column] : columns) own.insert(column);
    }
    return own;
  }();
  return names.contains(name);
}

// A parameter that has the name of one of the view's own columns gets the prefix `param_`.
std::string view_column(const std::string& param) {
  return is_own_column(param) ? "param_" + param : param;
}

std::string make_view(const WorkloadDef& def, const std::string& name, std::string_view pass,
                      ViewColumns own, std::string_view joins) {
  std::string columns;
  for (const std::size_t i : stored_params(def)) {
    if (def.params[i].role == ParamRole::kScheduling) continue;  // does not describe a result
    const std::string& param = def.params[i].name;
    columns += fmt::format("p.{} AS {}, ", sql_name(param), sql_name(view_column(param)));
  }
  const ViewColumns common = common_columns();
  own.insert(own.end(), common.begin(), common.end());
  std::vector<std::string> list;
  for (const auto& [expression, column] : own) {
    list.push_back(fmt::format("\n       {} AS {}", expression, column));
  }
  return fmt::format(
      "CREATE VIEW {} AS\nSELECT {}{}\nFROM {} p\nJOIN trial t ON t.id = p.trial\n"
      "JOIN attempt a ON a.trial = p.trial AND a.pass = '{}' AND a.is_current = 1\n"
      "JOIN host h ON h.id = a.host\n"
      "LEFT JOIN attempt_device ad ON ad.attempt = a.row AND ad.rank = 0\n"
      "LEFT JOIN device d ON d.id = ad.device{}",
      sql_name(name), columns, join(list, ","), sql_name(params_table(def.name)), pass, joins);
}

std::map<std::string, std::string> types_of_columns(Connection& connection,
                                                    const std::string& table) {
  std::map<std::string, std::string> types;
  Query info(connection, "SELECT name, type FROM pragma_table_info(?)");
  info.bind(table);
  while (info.next()) types[info.text(0)] = info.text(1);
  return types;
}

Result<void> grow_params(Connection& connection, const WorkloadDef& def) {
  const std::string table = params_table(def.name);
  auto present = types_of_columns(connection, table);
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
    // A trial stored before the parameter existed ran with the value that is now its default.
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
  const std::vector<std::string>& general = general_view_names();
  const bool ours = std::find(general.begin(), general.end(), view) != general.end();
  if (!ours && !taken.next()) return {};
  return Error{ErrorCode::kFailedPrecondition,
               fmt::format("workload `{}`: its view would be called `{}`, which is a table or view "
                           "of sweepd; rename the workload",
                           workload, view)};
}

}  // namespace

std::string workload_view(const WorkloadDef& def) {
  return make_view(def, def.name, "timing", timing_columns(), kTimingJoins);
}

std::string workload_memory_view(const WorkloadDef& def) {
  return make_view(def, def.name + "_memory", "memory", memory_view_columns(), kMemoryJoins);
}

Result<void> apply_workload(Connection& connection, const WorkloadDef& def) {
  for (const std::string& view : {def.name, def.name + "_memory"}) {
    if (auto free = check_name(connection, def.name, view); !free) return free;
  }
  if (auto grown = grow_params(connection, def); !grown) return grown;
  refresh_view(connection, def.name, workload_view(def));
  refresh_view(connection, def.name + "_memory", workload_memory_view(def));
  return {};
}

Result<void> apply_catalog(Connection& connection, const Catalog& catalog) {
  for (const WorkloadDef& def : catalog.workloads) {
    if (auto applied = apply_workload(connection, def); !applied) return applied;
  }
  for (const WorkloadDef& def : catalog.programs->all()) {
    if (auto applied = apply_workload(connection, def); !applied) return applied;
  }
  return {};
}

}  // namespace sweepd
