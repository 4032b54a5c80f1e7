#include "db/upkeep/check.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include "db/base/connection.h"

namespace sweepd {
namespace {

Bytes size_of(const std::filesystem::path& file) {
  Bytes size;
  for (const char* suffix : {"", "-wal"}) {
    std::error_code error;
    const auto bytes = std::filesystem::file_size(file.string() + suffix, error);
    if (!error) size.value += static_cast<std::int64_t>(bytes);
  }
  return size;
}

bool has_counts(Connection& connection) {
  return Query(connection, "SELECT 1 FROM sqlite_schema WHERE name = 'sweep_count'").next();
}

// The counts that triggers keep, against the rows.
constexpr const char* kWrongCounts =
    "WITH counted AS (SELECT sweep, 'trials' AS what, count(*) AS n FROM sweep_trial GROUP BY 1 "
    "UNION ALL SELECT sa.sweep, coalesce(a.outcome, iif(a.started_ns IS NULL, 'queued', "
    "'running')), count(*) FROM sweep_attempt sa JOIN attempt a ON a.row = sa.attempt GROUP BY 1, "
    "2) SELECT s.uid, coalesce(k.what, c.what), coalesce(k.n, 0), coalesce(c.n, 0) FROM counted c "
    "FULL JOIN sweep_count k ON k.sweep = c.sweep AND k.what = c.what JOIN sweep s ON s.id = "
    "coalesce(k.sweep, c.sweep) WHERE coalesce(k.n, 0) <> coalesce(c.n, 0) LIMIT 10";

}  // namespace

std::vector<std::string> wrong_counts(Connection& connection) {
  std::vector<std::string> found;
  Query query(connection, kWrongCounts);
  while (query.next()) {
    found.push_back(fmt::format("sweep {} counts {} {}, but has {}", query.text(0),
                                query.integer(2), query.text(1), query.integer(3)));
  }
  return found;
}

Result<DatabaseCheck> check_database(const std::filesystem::path& file, Duration limit) {
  DatabaseCheck check;
  check.size = size_of(file);
  try {
    Connection connection(file, Access::kReadOnly);
    connection.set_time_limit(limit);
    connection.start_timer();
    Query query(connection, "PRAGMA quick_check(10)");
    while (query.next()) {
      if (query.text(0) != "ok") check.problems.push_back(query.text(0));
    }
    if (!check.problems.empty() || !has_counts(connection)) return check;
    check.problems = wrong_counts(connection);
    return check;
  } catch (const SQLite::Exception& exception) {
    const int code = exception.getErrorCode() & 0xff;
    if (code == SQLITE_INTERRUPT) {
      check.checked = Checked::kNotInTime;
      return check;
    }
    // The damage is such that SQLite refuses to open the file.
    if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB) {
      check.problems.push_back(exception.what());
      return check;
    }
    return to_error(exception, "database " + file.string(), nullptr);
  }
}

Result<bool> has_sweeps(const std::filesystem::path& file) {
  try {
    Connection connection(file, Access::kReadOnly);
    Query table(connection, "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'sweep'");
    if (!table.next()) return false;  // its daemon failed before it created any table
    Query sweep(connection, "SELECT 1 FROM sweep LIMIT 1");
    return sweep.next();
  } catch (const SQLite::Exception& exception) {
    return to_error(exception, "database " + file.string(), nullptr);
  }
}

}  // namespace sweepd
