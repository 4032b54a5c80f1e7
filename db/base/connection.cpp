#include "db/base/connection.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cmath>
#include <limits>

namespace sweepd {
namespace {

// A reader may have to wait for the writer's checkpoint, and the writer for somebody else's
// transaction, such as an open sqlite3 shell's. Neither is on the daemon's loop.
constexpr int kBusyTimeoutMs = 10'000;
// Virtual-machine instructions between two looks at the clock: about 0.1 ms.
constexpr int kProgressInstructions = 10'000;

// One thread at a time uses a connection, so SQLite need not lock for every column that it returns.
// Those locks cost a third of the time of a scan.
int flags_of(Access access) {
  const int how = access == Access::kReadOnly ? SQLite::OPEN_READONLY
                                              : SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE;
  return how | SQLite::OPEN_NOMUTEX;
}

// By default SQLite counts every byte it allocates under one lock, and nobody reads the count. This
// must run before the first connection is opened.
void leave_memory_uncounted() {
  static const int kOnce = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  static_cast<void>(kOnce);
}

std::string opened_path(const std::filesystem::path& file) {
  leave_memory_uncounted();
  return file.string();
}

}  // namespace

Connection::Connection(const std::filesystem::path& file, Access access)
    : database_(opened_path(file), flags_of(access), kBusyTimeoutMs) {
  sqlite3_extended_result_codes(database_.getHandle(), 1);
  if (access == Access::kReadOnly) {
    database_.exec("PRAGMA query_only = ON");
    database_.exec("PRAGMA cache_size = -65536");  // 64 MiB: a grouped query reads its pages once
  } else {
    database_.exec("PRAGMA journal_mode = WAL");
    database_.exec("PRAGMA synchronous = FULL");
    // 64 MiB of log between checkpoints: submissions write the same index pages again and again,
    // and these then reach the database file once. No attempt starts while a checkpoint runs; when
    // nothing runs, the daemon makes one anyway (Store::checkpoint).
    database_.exec("PRAGMA wal_autocheckpoint = 16384");
    // 16 MiB hold the inner pages of every index of a million attempts, and the leaves in use.
    database_.exec("PRAGMA cache_size = -16384");
  }
  database_.exec("PRAGMA foreign_keys = ON");
  database_.exec("PRAGMA temp_store = MEMORY");
  sqlite3_progress_handler(database_.getHandle(), kProgressInstructions, &Connection::on_progress,
                           this);
}

Connection::~Connection() {
  sqlite3_progress_handler(database_.getHandle(), 0, nullptr, nullptr);
}

void Connection::start_timer() {
  deadline_.reset();
  if (limit_.ns > 0) deadline_ = now_instant() + limit_;
}

bool Connection::expired() const {
  return deadline_ && now_instant() > *deadline_;
}

void Connection::check_timer() const {
  if (expired()) throw SQLite::Exception("interrupted", SQLITE_INTERRUPT);
}

int Connection::on_progress(void* self) {
  return static_cast<Connection*>(self)->expired() ? 1 : 0;
}

std::unique_ptr<SQLite::Statement> Connection::take(const std::string& sql) {
  auto& waiting = idle_[sql];
  if (waiting.empty()) return std::make_unique<SQLite::Statement>(database_, sql);
  auto statement = std::move(waiting.back());
  waiting.pop_back();
  return statement;
}

void Connection::put_back(const std::string& sql, std::unique_ptr<SQLite::Statement> statement) {
  // SQL made for a single query (its filters differ each time) would fill the cache for nothing.
  constexpr std::size_t kMaxIdle = 128;
  if (idle_.size() <= kMaxIdle) {
    idle_[sql].push_back(std::move(statement));
  } else {
    idle_.erase(sql);
  }
}

Query::Query(Connection& connection, std::string sql)
    : connection_(connection), sql_(std::move(sql)), statement_(connection.take(sql_)) {}

Query::~Query() {
  // Not reset(), which throws again the error that `next` has already thrown.
  statement_->tryReset();
  statement_->clearBindings();
  connection_.put_back(sql_, std::move(statement_));
}

Query& Query::bind(std::int64_t value) {
  statement_->bind(++bound_, value);
  return *this;
}

Query& Query::bind(double value) {
  statement_->bind(++bound_, value);
  return *this;
}

Query& Query::bind(const std::string& value) {
  statement_->bind(++bound_, value);
  return *this;
}

Query& Query::bind_null() {
  statement_->bind(++bound_);
  return *this;
}

bool Query::next() {
  if (rows_++ % 256 == 0) connection_.check_timer();
  return statement_->executeStep();
}

std::int64_t Query::run() {
  const int changed = statement_->exec();
  rewind();
  return changed;
}

void Query::rewind() {
  statement_->reset();
  statement_->clearBindings();
  bound_ = 0;
}

bool Query::is_null(int column) const {
  return statement_->isColumnNull(column);
}

bool Query::is_integer(int column) const {
  return statement_->getColumn(column).isInteger();
}

bool Query::is_real(int column) const {
  return statement_->getColumn(column).isFloat();
}

std::int64_t Query::integer(int column) const {
  return statement_->getColumn(column).getInt64();
}

double Query::real(int column) const {
  return is_null(column) ? std::numeric_limits<double>::quiet_NaN()
                         : statement_->getColumn(column).getDouble();
}

std::string Query::text(int column) const {
  return statement_->getColumn(column).getString();
}

std::optional<std::int64_t> Query::maybe_integer(int column) const {
  if (is_null(column)) return std::nullopt;
  return integer(column);
}

std::optional<double> Query::maybe_real(int column) const {
  if (is_null(column)) return std::nullopt;
  return real(column);
}

std::string sql_name(std::string_view identifier) {
  std::string out = "\"";
  for (const char c : identifier) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

Error to_error(const SQLite::Exception& exception, const std::string& what,
               const Connection* connection) {
  const std::string because = fmt::format("{}: {}", what, exception.what());
  switch (exception.getErrorCode() & 0xff) {
    case SQLITE_INTERRUPT: {
      const Duration limit = connection == nullptr ? Duration{0} : connection->time_limit();
      return {
          ErrorCode::kResourceExhausted,
          fmt::format("{}: took longer than {}; narrow it with a filter", what, to_human(limit))};
    }
    case SQLITE_FULL:
      return {ErrorCode::kIo, because + "; nothing was changed"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {ErrorCode::kUnavailable, because};
    case SQLITE_CANTOPEN:
    case SQLITE_IOERR:
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return {ErrorCode::kIo, because};
    default:
      return {ErrorCode::kInternal, because};
  }
}

}  // namespace sweepd
