#include "db/base/migrate.h"

#include <fmt/format.h>

#include <vector>

#include "db/base/record_views.h"
#include "runner/base/text.h"

namespace sweepd {
namespace {

std::int64_t pragma(Connection& connection, const std::string& name) {
  return connection.database().execAndGet("PRAGMA " + name).getInt64();
}

Error newer(std::int64_t found, int known) {
  return {ErrorCode::kFailedPrecondition,
          fmt::format("the database has version {}, written by a newer sweepd; this one knows "
                      "versions up to {}. Update sweepd, or use another database",
                      found, known)};
}

Result<void> check_owner(Connection& connection) {
  const std::int64_t id = pragma(connection, "application_id");
  const bool empty =
      connection.database().execAndGet("SELECT count(*) FROM sqlite_schema").getInt64() == 0;
  if (id == kApplicationId || (id == 0 && empty)) return {};
  return Error{ErrorCode::kFailedPrecondition,
               fmt::format("{} is an SQLite database, but not one of sweepd (application_id {:#x}, "
                           "expected {:#x})",
                           connection.database().getFilename(), id, kApplicationId)};
}

// "CREATE VIEW attempts AS ..." -> "attempts"
std::string view_name(std::string_view create_sql) {
  constexpr std::string_view kHead = "CREATE VIEW ";
  const std::string_view rest = create_sql.substr(create_sql.find(kHead) + kHead.size());
  return std::string(rest.substr(0, rest.find_first_of(" \n")));
}

std::vector<std::string> make_general_views() {
  std::vector<std::string> statements;
  for (const std::string& part : split(embedded_views(), ';')) {
    const std::size_t begin = part.find("CREATE VIEW ");
    if (begin != std::string::npos) statements.push_back(part.substr(begin));
  }
  const std::vector<std::string> of_records = record_views();
  statements.insert(statements.end(), of_records.begin(), of_records.end());
  return statements;
}

const std::vector<std::string>& general_views() {
  static const std::vector<std::string> statements = make_general_views();
  return statements;
}

// A migration that changes a column would fail while a view names that column.
void drop_own_views(Connection& connection) {
  std::vector<std::string> names = general_view_names();
  Query views(connection,
              "SELECT v.name FROM sqlite_schema v JOIN sqlite_schema t ON t.type = 'table' AND "
              "(t.name = 'params_' || v.name OR t.name || '_memory' = 'params_' || v.name) "
              "WHERE v.type = 'view'");
  while (views.next()) names.push_back(views.text(0));
  for (const std::string& name : names) connection.execute("DROP VIEW IF EXISTS " + sql_name(name));
}

Result<void> apply(Connection& connection, const Migration& migration) {
  try {
    SQLite::Transaction transaction(connection.database(), SQLite::TransactionBehavior::IMMEDIATE);
    if (pragma(connection, "user_version") >= migration.version) return {};  // somebody else did
    drop_own_views(connection);
    connection.execute(std::string(migration.sql));
    if (Query broken(connection, "SELECT \"table\" FROM pragma_foreign_key_check"); broken.next()) {
      return Error{ErrorCode::kInternal,
                   fmt::format("migration {:04}_{} leaves rows of `{}` that refer to nothing",
                               migration.version, migration.name, broken.text(0))};
    }
    connection.execute(fmt::format("PRAGMA user_version = {}", migration.version));
    connection.execute(fmt::format("PRAGMA application_id = {}", kApplicationId));
    transaction.commit();
    return {};
  } catch (const SQLite::Exception& exception) {
    return to_error(exception, fmt::format("migration {:04}_{}", migration.version, migration.name),
                    &connection);
  }
}

}  // namespace

Result<void> check_not_newer(Connection& connection, std::span<const Migration> migrations) {
  if (auto owner = check_owner(connection); !owner) return owner;
  const int known = migrations.empty() ? 0 : migrations.back().version;
  const std::int64_t found = pragma(connection, "user_version");
  if (found > known) return newer(found, known);
  return {};
}

Result<void> migrate(Connection& connection, std::span<const Migration> migrations,
                     std::span<const Migration> before) {
  if (auto usable = check_not_newer(connection, migrations); !usable) return usable;
  const int known = migrations.empty() ? 0 : migrations.back().version;
  const std::int64_t found = pragma(connection, "user_version");
  if (found == known) return {};
  std::vector<Migration> steps(migrations.begin(), migrations.end());
  if (found > 0) steps.insert(steps.begin(), before.begin(), before.end());
  // A migration may rebuild a table that others refer to. foreign_key_check runs before the commit.
  connection.execute("PRAGMA foreign_keys = OFF");
  Result<void> result;
  for (const Migration& migration : steps) {
    if (migration.version <= found) continue;
    result = apply(connection, migration);
    if (!result) break;
  }
  connection.execute("PRAGMA foreign_keys = ON");
  return result;
}

Result<void> check_version(Connection& connection, std::span<const Migration> migrations) {
  if (auto usable = check_not_newer(connection, migrations); !usable) return usable;
  const int known = migrations.empty() ? 0 : migrations.back().version;
  const std::int64_t found = pragma(connection, "user_version");
  if (found < known) {
    return Error{ErrorCode::kFailedPrecondition,
                 fmt::format("the database has version {}, this program expects {}; starting "
                             "sweepd on it once migrates it",
                             found, known)};
  }
  return {};
}

bool refresh_view(Connection& connection, const std::string& name, const std::string& create_sql) {
  {
    Query existing(connection, "SELECT sql FROM sqlite_schema WHERE type = 'view' AND name = ?");
    existing.bind(name);
    if (existing.next() && existing.text(0) == create_sql) return false;
  }
  connection.execute("DROP VIEW IF EXISTS " + sql_name(name));
  connection.execute(create_sql);
  return true;
}

const std::vector<std::string>& general_view_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const std::string& sql : general_views()) all.push_back(view_name(sql));
    return all;
  }();
  return names;
}

void refresh_general_views(Connection& connection) {
  for (const std::string& sql : general_views()) refresh_view(connection, view_name(sql), sql);
}

}  // namespace sweepd
