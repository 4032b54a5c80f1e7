#include "db/base/strangers_file.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "db/base/migrate.h"
#include "runner/base/ids.h"
#include "runner/base/printable.h"
#include "runner/base/text.h"

namespace sweepd {
namespace {

constexpr std::int64_t kLongestText = 4 << 20;  // bytes, as a request

Error not_ours(std::string what) {
  return {ErrorCode::kInvalidArgument, std::move(what)};
}

using OwnTables = std::map<std::string, std::vector<std::string>>;  // and their columns of texts

std::vector<std::string> text_columns(Connection& connection, const std::string& table) {
  std::vector<std::string> columns;
  Query query(connection, "SELECT name FROM pragma_table_info(?) WHERE type = 'TEXT'");
  query.bind(table);
  while (query.next()) columns.push_back(query.text(0));
  return columns;
}

// The tables that the migrations make.
OwnTables read_own_tables() {
  Connection fresh(":memory:", Access::kReadWrite);
  OwnTables tables;
  if (!migrate(fresh, embedded_migrations())) return tables;  // a bug that every test would show
  Query query(fresh, "SELECT name FROM sqlite_schema WHERE type = 'table'");
  while (query.next()) tables[query.text(0)] = text_columns(fresh, query.text(0));
  return tables;
}

const OwnTables& own_tables() {
  static const OwnTables tables = read_own_tables();
  return tables;
}

bool is_params_table(const std::string& lower_case) {
  return lower_case.starts_with("params_");
}

Result<void> check_each(Connection& connection, const char* sql, const char* what,
                        const char* expected, bool (*fits)(std::string_view)) {
  Query query(connection, sql);
  while (query.next()) {
    const std::string text = query.text(0);
    if (fits(text)) continue;
    return not_ours(
        fmt::format("it has {} `{}`; expected {}. Nothing is merged", what, brief(text), expected));
  }
  return {};
}

Result<void> check_lengths(Connection& connection, const std::string& table,
                           const std::vector<std::string>& columns) {
  if (columns.empty()) return {};
  std::vector<std::string> too_long;
  for (const std::string& column : columns) {
    too_long.push_back(
        fmt::format("length(CAST({} AS BLOB)) > {}", sql_name(column), kLongestText));
  }
  Query query(connection, fmt::format("SELECT 1 FROM {} WHERE {} LIMIT 1", sql_name(table),
                                      join(too_long, " OR ")));
  if (!query.next()) return {};
  return not_ours(fmt::format("a text in its table `{}` is longer than 4 MiB. Nothing is merged",
                              brief(table)));
}

}  // namespace

Error about_strangers_file(Error error) {
  if (error.code != ErrorCode::kInternal) return error;
  return {ErrorCode::kFailedPrecondition,
          std::move(error.message) + "; the file is not as sweepd writes it"};
}

Result<void> check_tables(Connection& connection) {
  // Views and virtual tables have no root page.
  Query query(connection,
              "SELECT lower(name), type FROM sqlite_schema WHERE type = 'view' OR (type = 'table' "
              "AND coalesce(rootpage, 0) = 0)");
  while (query.next()) {
    const std::string name = query.text(0);
    if (!own_tables().contains(name) && !is_params_table(name)) continue;
    return not_ours(fmt::format("`{}` is a {} in it; expected a table", brief(name),
                                query.text(1) == "view" ? "view" : "virtual table"));
  }
  return {};
}

Result<void> check_texts(Connection& connection) {
  const auto is_any_id = [](std::string_view text) { return is_id(text); };
  const auto is_any_name = [](std::string_view text) { return is_sweep_name(text); };
  constexpr const char* kDigits = "hex digits as its id";
  constexpr const char* kName = "letters, digits, `.`, `_` or `-`, 96 at most, as its name";
  for (const auto& [sql, what] : {std::pair{"SELECT uid FROM attempt", "an attempt"},
                                  {"SELECT uid FROM sweep", "a sweep"},
                                  {"SELECT key FROM trial", "a trial"}}) {
    if (auto ids = check_each(connection, sql, what, kDigits, is_any_id); !ids) return ids;
  }
  for (const auto& [sql, what] :
       {std::pair{"SELECT name FROM sweep", "a sweep"},
        {"SELECT workload FROM sweep UNION SELECT workload FROM trial", "a workload"}}) {
    if (auto names = check_each(connection, sql, what, kName, is_any_name); !names) return names;
  }
  for (const auto& [table, columns] : own_tables()) {
    if (auto lengths = check_lengths(connection, table, columns); !lengths) return lengths;
  }
  std::vector<std::string> params;
  {
    Query query(connection, "SELECT name FROM sqlite_schema WHERE type = 'table'");
    while (query.next()) {
      if (is_params_table(query.text(0))) params.push_back(query.text(0));
    }
  }
  for (const std::string& table : params) {
    auto lengths = check_lengths(connection, table, text_columns(connection, table));
    if (!lengths) return lengths;
  }
  return {};
}

}  // namespace sweepd
