// One SQLite connection with its prepared statements. Failures inside are SQLite::Exception; the
// public classes convert them to an Error in one place (`guarded`). One thread at a time.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <filesystem>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runner/base/clock.h"
#include "runner/base/result.h"

namespace sweepd {

// 'swep' in the file's header (PRAGMA application_id), which identifies sweepd's databases, also to
// `file`.
constexpr std::int32_t kApplicationId = 0x73776570;

enum class Access { kReadWrite, kReadOnly };

class Connection {
 public:
  // Throws SQLite::Exception. Read-write creates the file and sets WAL with synchronous=FULL.
  Connection(const std::filesystem::path& file, Access access);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  SQLite::Database& database() { return database_; }
  void execute(const std::string& sql) { database_.exec(sql); }

  // Moves the whole log into the database, so that the next commit restarts it, and waits up to
  // this long for each kind of blocking reader. Returns SQLite's extended code: SQLITE_BUSY if
  // some reader stayed.
  int restart_log(Duration patience);

  // A statement is interrupted (SQLITE_INTERRUPT) once `limit` has passed since the last call of
  // `start_timer`; 0 means never.
  void set_time_limit(Duration limit) { limit_ = limit; }
  Duration time_limit() const { return limit_; }
  void start_timer();

  // For a file from another machine, which may be hostile: limits the time of the statements that
  // follow and the length of a text or row (SQLITE_TOOBIG).
  void distrust(Duration limit);
  void check_timer() const;  // throws SQLITE_INTERRUPT; SQLite checks only inside a statement

 private:
  friend class Query;
  std::unique_ptr<SQLite::Statement> take(const std::string& sql);
  void put_back(std::string sql, std::unique_ptr<SQLite::Statement> statement);
  bool expired() const;
  static int on_progress(void* self);

  SQLite::Database database_;
  // Idle prepared statements, the latest used first. A text may occur several times, since several
  // uses may overlap.
  struct Idle {
    std::string sql;
    std::unique_ptr<SQLite::Statement> statement;
  };
  std::list<Idle> idle_;
  std::unordered_multimap<std::string_view, std::list<Idle>::iterator> idle_by_sql_;
  Duration limit_{0};
  std::optional<Instant> deadline_;
};

// A statement borrowed from the connection's cache for one use: bind in order, then call `next` for
// rows or `run` for none. Columns and parameters count from 0 in the order written.
class Query {
 public:
  Query(Connection& connection, std::string sql);
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;
  ~Query();

  Query& bind(std::int64_t value);
  Query& bind(int value) { return bind(static_cast<std::int64_t>(value)); }
  Query& bind(double value);  // NaN is stored as NULL
  Query& bind(const std::string& value);
  Query& bind(std::string_view value) { return bind(std::string(value)); }
  Query& bind(const char* value) { return bind(std::string(value)); }
  Query& bind(bool) = delete;  // bind 0 or 1
  Query& bind_null();
  template <class T>
  Query& bind(const std::optional<T>& value) {
    return value ? bind(*value) : bind_null();
  }
  template <class... Values>
  Query& bind_all(const Values&... values) {
    (bind(values), ...);
    return *this;
  }

  bool next();         // false: no more rows
  std::int64_t run();  // executes; returns the number of rows changed
  void rewind();       // runs the statement again, with new parameters

  bool is_null(int column) const;
  bool is_integer(int column) const;
  bool is_real(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;  // NULL reads as NaN
  std::string text(int column) const;
  std::optional<std::int64_t> maybe_integer(int column) const;
  std::optional<double> maybe_real(int column) const;

 private:
  Connection& connection_;
  std::string sql_;
  std::unique_ptr<SQLite::Statement> statement_;
  int bound_ = 0;
  std::uint32_t rows_ = 0;
};

// Returns `"name"`, quoted so that any text is safe.
std::string sql_name(std::string_view identifier);

Error to_error(const SQLite::Exception& exception, const std::string& what,
               const Connection* connection);

// Runs `body`, which returns a Result<T> and may throw SQLite::Exception. `what` names the
// operation in the error message.
template <class Body>
auto guarded(Connection& connection, const std::string& what, Body body) -> decltype(body()) {
  try {
    return body();
  } catch (const SQLite::Exception& exception) {
    return to_error(exception, what, &connection);
  }
}

}  // namespace sweepd
