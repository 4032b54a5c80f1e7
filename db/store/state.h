// State that the Store's verbs share. Each verb is a file of this folder; each public call is one
// transaction through `transact`.
#pragma once

#include <sqlite3.h>

#include <map>
#include <optional>
#include <string>

#include "db/base/connection.h"
#include "db/base/names.h"
#include "db/base/param_columns.h"
#include "db/base/pool_hosts.h"
#include "db/store/store.h"

namespace sweepd {

struct StoreState {
  StoreState(const std::filesystem::path& file, const Catalog& catalog_);

  Connection connection;
  Names names;
  Catalog catalog;
  std::int64_t host = 0;  // row of `host` for this machine
  // A sync failed. The kernel drops the pages that it could not write, and the next sync succeeds
  // without them: the log on the disk has a hole, and nothing behind it would survive a power loss.
  bool log_has_hole = false;

  // Pages of the log after the last commit, and the limit from which it is restarted.
  int log_pages = 0, long_log = kLongLog;
  int allowed_log = kLongLog;              // the value of `long_log` after a restart of the log
  static constexpr int kLongLog = 16'384;  // 64 MiB

  // The position in the queue of the next new attempt: behind all others. Only this connection adds
  // attempts, so it is searched once.
  std::int64_t take_position();
  std::optional<std::int64_t> next_position;  // unknown at first, after a failure and after a merge

  // Runs `body`, and notes if a sync fails in it.
  template <class Body>
  auto watching_syncs(Body body) -> decltype(body()) {
    try {
      return body();
    } catch (const SQLite::Exception& exception) {
      note_failure(exception);
      throw;
    }
  }
  void note_failure(const SQLite::Exception& exception);
  // Rewrites the log in place and syncs it, which closes any hole. In a transaction.
  void rewrite_log();
  // Moves a log that has become long into the database. A short log stays, because submissions
  // rewrite the same index pages often, and these then reach the database once. No attempt starts
  // during the move.
  void restart_long_log();

  // Runs `body` (returning a Result) in an immediate transaction, which is committed if it succeeds
  // and rolled back if it returns an Error or SQLite throws.
  template <class Body>
  auto transact(const std::string& what, Body body) -> decltype(body()) {
    auto result = guarded(connection, what, [&]() -> decltype(body()) {
      return watching_syncs([&]() -> decltype(body()) {
        SQLite::Transaction transaction(connection.database(),
                                        SQLite::TransactionBehavior::IMMEDIATE);
        if (log_has_hole) rewrite_log();
        auto inner = body();
        if (inner) transaction.commit();
        return inner;
      });
    });
    if (!result) {
      names.forget();
      next_position.reset();
    }
    if (result) restart_long_log();
    return result;
  }
};

struct Store::State : StoreState {
  using StoreState::StoreState;

  // `update` has the time, this host and the attempt's row as its parameters.
  Result<void> leave_queue(std::int64_t row, WallTime when, const Lease& lease, const char* update);
};

// Row of the host, added or brought up to date.
std::int64_t upsert_host(Connection& connection, Names& names, const HostInfo& host);
std::int64_t upsert_device(Connection& connection, Names& names, std::int64_t host,
                           const DeviceInfo& device);

// Returns the row of the sweep, or an Error if there is none.
Result<std::int64_t> sweep_row(Connection& connection, const SweepId& sweep);

// An attempt's relation to the sentinel of the sweep that queued it.
struct SentinelColumns {
  std::int64_t watched_sweep = 0;
  Duration every{0};
  bool is_sentinel = false;

  // Columns of `sweep s`. NULL throughout if the sweep neither has a sentinel nor is one.
  static constexpr const char* kSql =
      "s.id, s.sentinel_ns, (SELECT w.id FROM sweep w WHERE w.uid = s.sentinel_of), "
      "(SELECT w.sentinel_ns FROM sweep w WHERE w.uid = s.sentinel_of)";
  static SentinelColumns read(const Query& query, int first);
  // Only attempts on this machine have a sentinel: that of a cluster would run on any of its nodes.
  void fill(const WorkloadDef& def, OpenAttempt& attempt) const;
};

// Determines again, for each host, which attempt of (trial, pass, repeat) counts. Call after an
// insert or an update of outcome or host.
void mark_current(Connection& connection, std::int64_t trial, Pass pass, int repeat);

void set_ending(Connection& connection, std::int64_t row, const Ending& ending, WallTime ended);

// For an attempt, a row, without one.
void insert_lease(Connection& connection, std::int64_t row, const Lease& lease);

// The identity of a sweep, a row; null if there is none.
std::shared_ptr<const SweepOfAttempt> read_sweep_of_attempt(Connection& connection,
                                                            std::int64_t sweep);

// Returns every open attempt that this build can run.
std::vector<OpenAttempt> load_open(Connection& connection, const Catalog& catalog);

}  // namespace sweepd
