#include "db/query/scan.h"

#include <sqlite3.h>

#include <limits>

namespace sweepd {

void Scan::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

Scan::Scan(Connection& connection, const std::string& sql) : connection_(connection) {
  sqlite3* handle = connection.database().getHandle();
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(handle, sql.c_str(), -1, &statement, nullptr);
  statement_.reset(statement);
  if (code != SQLITE_OK) throw SQLite::Exception(handle, code);
}

bool Scan::next() {
  if (rows_++ % 256 == 0) connection_.check_timer();
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  throw SQLite::Exception(connection_.database().getHandle(), code);
}

bool Scan::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

std::int64_t Scan::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double Scan::real(int column) const {
  const double value = sqlite3_column_double(statement_.get(), column);
  // NULL reads as 0, and only then is it worth asking.
  return value == 0 && is_null(column) ? std::numeric_limits<double>::quiet_NaN() : value;
}

std::string_view Scan::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  if (bytes == nullptr) return {};
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

}  // namespace sweepd
