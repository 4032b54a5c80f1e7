#include "db/upkeep/check.h"

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

}  // namespace

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

}  // namespace sweepd
