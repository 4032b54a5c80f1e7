#include "db/upkeep/database_copy.h"

#include <SQLiteCpp/Backup.h>
#include <fmt/format.h>

#include <set>

#include "db/base/catalog_tables.h"
#include "db/base/migrate.h"
#include "db/base/param_columns.h"
#include "db/base/program_tables.h"
#include "db/base/strangers_file.h"
#include "db/upkeep/plain_copy.h"
#include "runner/base/ids.h"

namespace sweepd {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kPrefix = "copy-";

fs::path beside(const fs::path& file, const char* suffix) {
  return file.string() + suffix;
}

void remove_all_of(const fs::path& file) {
  std::error_code ignored;
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
    fs::remove(beside(file, suffix), ignored);
  }
}

// SQLite accepts an empty file as a database, but here it is a wrong file name.
Result<void> check_is_ours(Connection& connection) {
  if (connection.database().execAndGet("PRAGMA application_id").getInt() == 0) {
    return Error{ErrorCode::kFailedPrecondition, "it is not a database of sweepd"};
  }
  if (auto known = check_not_newer(connection, embedded_migrations()); !known) return known;
  return check_tables(connection);
}

Result<void> copy_to(const fs::path& from, const fs::path& to) {
  try {
    Connection source(from, Access::kReadOnly);
    source.distrust(kStrangersTime);
    if (auto ours = check_is_ours(source); !ours) return ours;
    SQLite::Database target(to.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    SQLite::Backup(target, source.database()).executeStep(-1);
    return {};
  } catch (const SQLite::Exception& exception) {
    if (!needs_plain_copy(exception)) throw;
  }
  remove_all_of(to);
  return copy_plainly(from, to);
}

Result<void> bring_up_to_date(const fs::path& file, const Catalog& catalog) {
  Connection connection(file, Access::kReadWrite);
  connection.distrust(kStrangersTime);
  connection.execute("PRAGMA synchronous = OFF");  // a copy needs no durability
  if (auto ours = check_is_ours(connection); !ours) return ours;
  auto migrated = migrate(connection, embedded_migrations(), migrations_before_0_2());
  if (!migrated) return migrated;
  {
    SQLite::Transaction transaction(connection.database());
    refresh_general_views(connection);
    if (auto loaded = load_programs(connection, catalog); !loaded) return loaded;
    if (auto applied = apply_catalog(connection, catalog); !applied) return applied;
    transaction.commit();
  }
  connection.execute(
      "PRAGMA journal_mode = DELETE");  // one file, readable by read-only connections
  return {};
}

Result<void> check_exists(const fs::path& file) {
  std::error_code error;
  if (fs::is_regular_file(file, error)) return {};
  if (fs::is_directory(file, error)) {
    return Error{ErrorCode::kInvalidArgument, "it is a folder; expected a database file"};
  }
  return Error{ErrorCode::kNotFound, "it does not exist"};
}

// Runs `body` and prefixes its error with the file's name.
template <class Body>
auto about(const fs::path& file, Body body) -> decltype(body()) {
  const std::string what = "database " + file.string();
  try {
    auto result = body();
    if (result) return result;
    return about_strangers_file({result.error().code, what + ": " + result.error().message});
  } catch (const SQLite::Exception& exception) {
    return about_strangers_file(to_error(exception, what, nullptr));
  }
}

bool has_every_column(Connection& connection, const WorkloadDef& def) {
  std::set<std::string> present;
  Query info(connection, "SELECT name FROM pragma_table_info(?)");
  info.bind(params_table(def.name));
  while (info.next()) present.insert(info.text(0));
  for (const std::size_t i : stored_params(def)) {
    if (!present.contains(def.params[i].name)) return false;
  }
  return !present.empty();
}

}  // namespace

Result<DatabaseCopy> DatabaseCopy::make(const fs::path& file, const fs::path& folder,
                                        const Catalog& catalog) {
  return about(file, [&]() -> Result<DatabaseCopy> {
    if (auto there = check_exists(file); !there) return there.error();
    DatabaseCopy copy(folder / fmt::format("{}{}.db", kPrefix, random_id()));
    if (auto copied = copy_to(file, copy.file()); !copied) return copied.error();
    if (auto ready = bring_up_to_date(copy.file(), catalog); !ready) return ready.error();
    return copy;
  });
}

DatabaseCopy::~DatabaseCopy() {
  if (!file_.empty()) remove_all_of(file_);
}

void remove_stale_copies(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(kPrefix) && name.find(".db") != std::string::npos) {
      fs::remove(entry.path(), error);
    }
  }
}

Result<bool> is_readable_in_place(const fs::path& file, const Catalog& catalog) {
  return about(file, [&]() -> Result<bool> {
    if (auto there = check_exists(file); !there) return there.error();
    try {
      Connection connection(file, Access::kReadOnly);
      connection.distrust(kStrangersTime);
      if (auto ours = check_is_ours(connection); !ours) return ours.error();
      if (!check_version(connection, embedded_migrations())) return false;  // older
      if (auto loaded = load_programs(connection, catalog); !loaded) return loaded.error();
      for (const std::string& name : catalog.names()) {
        if (!has_every_column(connection, *catalog.find(name))) return false;
      }
      return true;
    } catch (const SQLite::Exception& exception) {
      if (!needs_plain_copy(exception)) throw;
      return false;
    }
  });
}

}  // namespace sweepd
