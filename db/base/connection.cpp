#include "db/base/connection.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

namespace sweepd {
namespace {

// A reader may have to wait for the writer's checkpoint, and the writer for another process's
// transaction (an open sqlite3 shell). Neither blocks the daemon's loop.
constexpr int kBusyTimeoutMs = 10'000;
// Virtual-machine instructions between two checks of the clock: about 0.1 ms.
constexpr int kProgressInstructions = 10'000;

// One thread at a time uses a connection, so SQLite need not lock for every column that it returns.
// Those locks cost a third of the time of a scan.
int flags_of(Access access) {
  const int how = access == Access::kReadOnly ? SQLite::OPEN_READONLY
                                              : SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE;
  return how | SQLite::OPEN_NOMUTEX;
}

// By default SQLite counts every byte it allocates under one lock, and sweepd does not use the
// count. This must run before the first connection is opened.
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
    // SQLite's automatic checkpoints do not wait for readers. Under constant reading the log would
    // grow without bound, and each page lookup searches all of it.
    database_.exec("PRAGMA wal_autocheckpoint = 0");
    // 16 MiB hold the inner pages of every index of a million attempts, and the leaves in use.
    database_.exec("PRAGMA cache_size = -16384");
  }
  database_.exec("PRAGMA foreign_keys = ON");
  database_.exec("PRAGMA temp_store = MEMORY");
  // The views of another machine's file are untrusted: they may only compute.
  database_.exec("PRAGMA trusted_schema = OFF");
  sqlite3_progress_handler(database_.getHandle(), kProgressInstructions, &Connection::on_progress,
                           this);
}

Connection::~Connection() {
  sqlite3_progress_handler(database_.getHandle(), 0, nullptr, nullptr);
}

int Connection::restart_log(Duration patience) {
  sqlite3* const handle = database_.getHandle();
  sqlite3_busy_timeout(handle, static_cast<int>(patience.ns / 1'000'000));
  int code =
      sqlite3_wal_checkpoint_v2(handle, nullptr, SQLITE_CHECKPOINT_RESTART, nullptr, nullptr);
  if (code != SQLITE_OK) code = sqlite3_extended_errcode(handle);
  sqlite3_busy_timeout(handle, kBusyTimeoutMs);
  return code;
}

void Connection::start_timer() {
  deadline_.reset();
  if (limit_.ns > 0) deadline_ = now_instant() + limit_;
}

void Connection::distrust(Duration limit) {
  constexpr int kLongestRow = 64 << 20;
  sqlite3_limit(database_.getHandle(), SQLITE_LIMIT_LENGTH, kLongestRow);
  set_time_limit(limit);
  start_timer();
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
  const auto found = idle_by_sql_.find(sql);
  if (found == idle_by_sql_.end()) return std::make_unique<SQLite::Statement>(database_, sql);
  auto statement = std::move(found->second->statement);
  const auto idle = found->second;
  idle_by_sql_.erase(found);
  idle_.erase(idle);
  return statement;
}

// The statement unused for longest goes first: usually one made for a single query.
void Connection::put_back(std::string sql, std::unique_ptr<SQLite::Statement> statement) {
  constexpr std::size_t kMaxIdle = 128;
  idle_.push_front({std::move(sql), std::move(statement)});
  idle_by_sql_.emplace(idle_.front().sql, idle_.begin());
  if (idle_.size() <= kMaxIdle) return;
  const auto oldest = std::prev(idle_.end());
  const auto [begin, end] = idle_by_sql_.equal_range(oldest->sql);
  idle_by_sql_.erase(
      std::find_if(begin, end, [&](const auto& entry) { return entry.second == oldest; }));
  idle_.erase(oldest);
}

Query::Query(Connection& connection, std::string sql)
    : connection_(connection), sql_(std::move(sql)), statement_(connection.take(sql_)) {}

Query::~Query() {
  // Not reset(), which throws again the error that `next` has already thrown.
  statement_->tryReset();
  statement_->clearBindings();
  connection_.put_back(std::move(sql_), std::move(statement_));
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
      if (connection == nullptr) return {ErrorCode::kResourceExhausted, what + ": took too long"};
      return {ErrorCode::kResourceExhausted,
              fmt::format("{}: took longer than {}; narrow it with a filter", what,
                          to_human(connection->time_limit()))};
    }
    case SQLITE_TOOBIG:
      return {ErrorCode::kResourceExhausted, what + ": a text in it is longer than 64 MiB"};
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
