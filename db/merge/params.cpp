#include "db/merge/params.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "db/base/program_tables.h"
#include "runner/base/printable.h"
#include "runner/model/vocabulary/program.h"

namespace sweepd {
namespace {

struct ColumnInfo {
  std::string type, default_sql;
};

std::map<std::string, ColumnInfo> table_columns(Connection& connection, const std::string& table,
                                                const std::string& file) {
  std::map<std::string, ColumnInfo> columns;
  Query info(connection, "SELECT name, type, dflt_value FROM pragma_table_info(?, ?)");
  info.bind_all(table, file);
  while (info.next()) columns[info.text(0)] = {info.text(1), info.text(2)};
  return columns;
}

// Whether they are a parameter's type and a literal, and so safe to put into a statement.
bool is_safe(const ColumnInfo& column) {
  const std::string& literal = column.default_sql;
  const bool known = column.type == "INTEGER" || column.type == "REAL" || column.type == "TEXT";
  if (!known || literal.empty()) return false;
  if (literal.find_first_not_of("0123456789+-.eE") == std::string::npos) return true;
  if (literal.size() < 2 || literal.front() != '\'' || literal.back() != '\'') return false;
  for (std::size_t i = 1; i + 1 < literal.size(); ++i) {
    if (literal[i] != '\'') continue;
    if (i + 2 >= literal.size() || literal[++i] != '\'') return false;  // it would end the text
  }
  return true;
}

Result<void> grow(Connection& connection, const std::string& table) {
  const auto ours = table_columns(connection, table, "main");
  for (const auto& [name, theirs] : table_columns(connection, table, "other")) {
    const auto found = ours.find(name);
    if (found != ours.end() && found->second.type == theirs.type) continue;
    if (found != ours.end()) {
      return Error{ErrorCode::kFailedPrecondition,
                   fmt::format("parameter `{}` of `{}` is {} here and {} there", name,
                               table.substr(7), found->second.type, theirs.type)};
    }
    if (!is_safe(theirs)) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("parameter `{}` of `{}` is declared there as {} with the default {}",
                               brief(name), brief(table.substr(7)), brief(theirs.type),
                               brief(theirs.default_sql))};
    }
    // Our trials from before the parameter ran with its default there.
    connection.execute(fmt::format("ALTER TABLE main.{} ADD COLUMN {} {} NOT NULL DEFAULT {}",
                                   sql_name(table), sql_name(name), theirs.type,
                                   theirs.default_sql));
  }
  return {};
}

}  // namespace

Result<void> adopt_params(Connection& connection) {
  std::vector<std::string> tables;
  {
    Query query(connection,
                "SELECT name FROM other.sqlite_schema WHERE type = 'table' AND name GLOB "
                "'params_*' ORDER BY name");
    while (query.next()) tables.push_back(query.text(0));
  }
  for (const std::string& table : tables) {
    // Results of a workload that this build lacks are kept too; a build that has the workload shows
    // them.
    connection.execute(fmt::format(
        "CREATE TABLE IF NOT EXISTS main.{} (trial INTEGER PRIMARY KEY REFERENCES trial (id)) "
        "STRICT",
        sql_name(table)));
    if (auto grown = grow(connection, table); !grown) return grown;
  }
  return {};
}

Result<std::vector<WorkloadDef>> adopt_programs(Connection& connection, const Catalog& catalog) {
  const auto theirs = read_programs(connection, "other");
  if (!theirs) return theirs.error();
  std::vector<WorkloadDef> adopted;
  for (const WorkloadDef& declaration : *theirs) {
    if (std::string why = refusal_of_declaration(catalog, declaration); !why.empty()) {
      return Error{ErrorCode::kInvalidArgument,
                   "it has a program that no file can declare: " + why};
    }
    auto stored = store_program(connection, catalog, declaration);
    if (!stored) return stored.error();
    adopted.push_back(std::move(*stored));
  }
  return adopted;
}

}  // namespace sweepd
