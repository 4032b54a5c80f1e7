// The states of an attempt's row before it ends: open, started, back in the queue.
#include <fmt/format.h>

#include <map>

#include "db/base/ending_columns.h"
#include "db/base/held.h"
#include "db/base/sweep_axes.h"
#include "db/base/which_counts.h"
#include "db/store/state.h"
#include "runner/base/core_list.h"
#include "runner/base/text.h"
#include "runner/model/vocabulary/pool_name.h"

namespace sweepd {
namespace {

Lease read_lease(Connection& connection, std::int64_t row) {
  Query query(connection,
              "SELECT cores, gpu_uuid, gpu_index FROM lease WHERE attempt = ? ORDER BY rank");
  query.bind(row);
  Lease lease;
  while (query.next()) {
    lease.ranks.push_back(
        {from_core_list(query.text(0)), query.text(1), static_cast<int>(query.integer(2))});
  }
  return lease;
}

void set_param(const WorkloadDef& def, Trial& trial, std::string_view name, std::int64_t value) {
  const auto index = def.index_of(name);
  if (index && is_per_sweep(def.params[*index])) trial.values[*index] = value;
}

struct Identity {
  std::int64_t trial = 0;
  Pass pass = Pass::kTiming;
  int repeat = 0;
  bool started = false, ended = false;
};

Result<Identity> identity_of(Connection& connection, std::int64_t row) {
  Query query(connection,
              "SELECT trial, pass, repeat, started_ns IS NOT NULL, outcome IS NOT NULL "
              "FROM attempt WHERE row = ?");
  query.bind(row);
  if (!query.next()) return Error{ErrorCode::kNotFound, fmt::format("no attempt {}", row)};
  return Identity{query.integer(0), *pass_from(query.text(1)), static_cast<int>(query.integer(2)),
                  query.integer(3) != 0, query.integer(4) != 0};
}

// While it lives, transactions are written but not forced to the disk. They survive the program,
// and the next synced transaction forces them too.
class WithoutSync {
 public:
  explicit WithoutSync(Connection& connection) : connection_(connection) {
    connection_.database().tryExec("PRAGMA synchronous = NORMAL");
  }
  ~WithoutSync() { connection_.database().tryExec("PRAGMA synchronous = FULL"); }
  WithoutSync(const WithoutSync&) = delete;
  WithoutSync& operator=(const WithoutSync&) = delete;

 private:
  Connection& connection_;
};

// Skips attempts that this build cannot run: it lacks the workload, or has another version of it.
void skip_unknown(Connection& connection, const Catalog& catalog, WallTime now) {
  std::vector<std::pair<std::int64_t, std::string>> rows;
  {
    Query query(connection,
                "SELECT a.row, t.workload, t.version FROM attempt a JOIN trial t ON t.id = a.trial "
                "WHERE a.outcome IS NULL AND " +
                    left_queue_ns("a") + " IS NULL");
    while (query.next()) {
      const std::string workload = query.text(1);
      const WorkloadDef* def = catalog.find(workload);
      if (def == nullptr) {
        rows.emplace_back(query.integer(0),
                          fmt::format("this build has no workload `{}`", workload));
      } else if (def->version != query.integer(2)) {
        rows.emplace_back(query.integer(0),
                          fmt::format("queued for version {} of workload `{}`, this build has "
                                      "version {}; submit the sweep again",
                                      query.integer(2), workload, def->version));
      }
    }
  }
  for (const auto& [row, reason] : rows) set_ending(connection, row, {Skipped{reason}, 0}, now);
}

}  // namespace

void mark_current(Connection& connection, std::int64_t trial, Pass pass, int repeat) {
  static const std::string best =
      "row = (SELECT b.row FROM attempt b WHERE b.trial = attempt.trial AND b.pass = attempt.pass "
      "AND b.repeat = attempt.repeat AND b.host = attempt.host ORDER BY " +
      the_one_that_counts_first("b") + " LIMIT 1)";
  // Clear before set: the unique index allows one current attempt at a time.
  for (const auto& [from, is] : {std::pair{1, "NOT "}, std::pair{0, ""}}) {
    Query query(connection,
                fmt::format("UPDATE attempt SET is_current = {} WHERE trial = ? AND pass = ? AND "
                            "repeat = ? AND is_current = {} AND {}({})",
                            1 - from, from, is, best));
    query.bind_all(trial, name_of(pass), repeat).run();
  }
}

void set_ending(Connection& connection, std::int64_t row, const Ending& ending, WallTime ended) {
  const auto identity = identity_of(connection, row);
  Query query(connection, "UPDATE attempt SET " + join(ending_columns(), " = ?, ") +
                              " = ?, ended_ns = ? WHERE row = ?");
  bind_ending(query, ending);
  query.bind_all(ended.ns, row).run();
  mark_current(connection, identity->trial, identity->pass, identity->repeat);
}

SentinelColumns SentinelColumns::read(const Query& query, int first) {
  if (!query.is_null(first + 2)) {
    return {query.integer(first + 2), Duration{query.integer(first + 3)}, true};
  }
  if (query.is_null(first + 1)) return {};
  return {query.integer(first), Duration{query.integer(first + 1)}, false};
}

void SentinelColumns::fill(const WorkloadDef& def, OpenAttempt& attempt) const {
  if (pool_of(def, attempt.trial) != kLocalPool) return;
  attempt.watched_sweep = watched_sweep;
  attempt.sentinel_every = every;
  attempt.is_sentinel = is_sentinel;
}

void insert_lease(Connection& connection, std::int64_t row, const Lease& lease) {
  Query insert(connection,
               "INSERT INTO lease (attempt, rank, cores, gpu_uuid, gpu_index) "
               "VALUES (?, ?, ?, ?, ?)");
  for (std::size_t rank = 0; rank < lease.ranks.size(); ++rank) {
    const RankLease& granted = lease.ranks[rank];
    insert.bind_all(row, static_cast<int>(rank), to_core_list(granted.cores), granted.gpu_uuid,
                    granted.gpu_index);
    insert.run();
  }
}

std::shared_ptr<const SweepOfAttempt> read_sweep_of_attempt(Connection& connection,
                                                            std::int64_t sweep) {
  Query query(connection, "SELECT uid, name, coalesce(sentinel_of, '') FROM sweep WHERE id = ?");
  query.bind(sweep);
  if (!query.next()) return nullptr;
  return std::make_shared<const SweepOfAttempt>(
      SweepOfAttempt{query.text(0), query.text(1), query.text(2)});
}

std::vector<OpenAttempt> load_open(Connection& connection, const Catalog& catalog) {
  std::map<std::string, ParamTable> params;
  std::map<std::int64_t, std::shared_ptr<const SweepAxes>> axes_of_sweep;
  std::map<std::int64_t, std::shared_ptr<const SweepOfAttempt>> sweeps;
  std::vector<OpenAttempt> open;
  Query query(
      connection,
      fmt::format("SELECT a.row, a.uid, t.id, t.key, t.workload, t.version, a.pass, a.repeat, "
                  "a.position, a.priority, a.timeout_ns, a.started_ns, "
                  "(SELECT max(repeats) FROM sweep_trial st JOIN sweep_attempt sa ON "
                  "sa.sweep = st.sweep WHERE sa.attempt = a.row AND st.trial = a.trial AND st.pool "
                  "= {}), {}, {}, {}, a.given_ns, (SELECT count(*) FROM attempt_loss WHERE attempt "
                  "= a.row), {} "
                  "FROM attempt a JOIN trial t ON t.id = a.trial LEFT JOIN sweep s ON s.id = "
                  "(SELECT min(q.sweep) FROM sweep_attempt q WHERE q.attempt = a.row AND "
                  "q.origin = 'queued') WHERE a.outcome IS NULL ORDER BY a.position",
                  pool_of_attempt("a"), SentinelColumns::kSql, first_sweep_of("a.row"),
                  pool_of_attempt("a"), any_paused(connection) ? is_held("a") : "0"));
  while (query.next()) {
    const WorkloadDef* def = catalog.find(query.text(4));
    if (def == nullptr) continue;
    OpenAttempt attempt;
    attempt.row = query.integer(0);
    attempt.id = query.text(1);
    attempt.trial_key = query.text(3);
    attempt.workload = def->name;
    auto [table, added] = params.try_emplace(def->name, connection, *def);
    attempt.trial = table->second.read(query.integer(2)).value_or(default_trial(*def));
    attempt.pass = *pass_from(query.text(6));
    attempt.repeat = static_cast<int>(query.integer(7));
    attempt.position = query.integer(8);
    attempt.priority = query.integer(9);
    attempt.timeout = Duration{query.integer(10)};
    set_param(*def, attempt.trial, "priority", attempt.priority);
    set_param(*def, attempt.trial, "timeout", attempt.timeout.ns);
    if (const auto pool = pool_param(*def)) attempt.trial.values[*pool] = query.text(18);
    SentinelColumns::read(query, 13).fill(*def, attempt);
    // The repeats of a sentinel have no end.
    const std::int64_t repeats = attempt.is_sentinel ? 1 : query.maybe_integer(12).value_or(1);
    set_param(*def, attempt.trial, "repeats", repeats);
    if (!query.is_null(11)) attempt.started = WallTime{query.integer(11)};
    if (!query.is_null(19)) attempt.given = WallTime{query.integer(19)};
    if (attempt.started || attempt.given) attempt.lease = read_lease(connection, attempt.row);
    attempt.losses = static_cast<int>(query.integer(20));
    attempt.held = query.integer(21) != 0;
    if (const auto sweep = query.maybe_integer(17)) {
      auto& axes = axes_of_sweep[*sweep];
      if (!axes) axes = std::make_shared<const SweepAxes>(read_axes(connection, *sweep, *def));
      attempt.axes = axes;
      auto& identity = sweeps[*sweep];
      if (!identity) identity = read_sweep_of_attempt(connection, *sweep);
      attempt.sweep = identity;
    }
    open.push_back(std::move(attempt));
  }
  return open;
}

Result<std::vector<OpenAttempt>> Store::open_attempts() {
  return state_->transact("reading the queue", [&]() -> Result<std::vector<OpenAttempt>> {
    skip_unknown(state_->connection, state_->catalog, now_wall());
    return load_open(state_->connection, state_->catalog);
  });
}

Result<void> Store::mark_started(std::int64_t row, WallTime when, const Lease& lease) {
  return state_->leave_queue(row, when, lease,
                             "UPDATE attempt SET started_ns = ?, host = ?, is_current = 0 WHERE "
                             "row = ?");
}

Result<void> Store::mark_given(std::int64_t row, WallTime when, const Lease& lease) {
  return state_->leave_queue(row, when, lease,
                             "UPDATE attempt SET given_ns = ?1, is_current = 0 WHERE row = ?3");
}

Result<void> Store::State::leave_queue(std::int64_t row, WallTime when, const Lease& lease,
                                       const char* update) {
  const WithoutSync without_sync(connection);
  return transact(fmt::format("starting attempt {}", row), [&]() -> Result<void> {
    const auto identity = identity_of(connection, row);
    if (!identity) return identity.error();
    if (identity->ended) {
      return Error{ErrorCode::kFailedPrecondition,
                   fmt::format("attempt {} has ended; it cannot start", row)};
    }
    Query(connection, update).bind_all(when.ns, host, row).run();
    mark_current(connection, identity->trial, identity->pass, identity->repeat);
    Query(connection, "DELETE FROM lease WHERE attempt = ?").bind(row).run();
    insert_lease(connection, row, lease);
    return {};
  });
}

Result<void> Store::mark_running(std::int64_t row, WallTime when) {
  const WithoutSync without_sync(state_->connection);
  return state_->transact(fmt::format("attempt {} runs", row), [&]() -> Result<void> {
    Query(state_->connection, "UPDATE attempt SET started_ns = ? WHERE row = ? AND outcome IS NULL")
        .bind_all(when.ns, row)
        .run();
    return {};
  });
}

Result<void> Store::record_loss(std::int64_t row, WallTime when, const std::string& reason) {
  return state_->transact(fmt::format("attempt {} is lost", row), [&]() -> Result<void> {
    Query(state_->connection,
          "INSERT INTO attempt_loss (attempt, position, lost_ns, reason) VALUES (?1, (SELECT "
          "count(*) FROM attempt_loss WHERE attempt = ?1), ?2, ?3)")
        .bind_all(row, when.ns, reason)
        .run();
    return {};
  });
}

Result<void> Store::mark_queued(std::int64_t row) {
  Connection& connection = state_->connection;
  return state_->transact(fmt::format("queueing attempt {} again", row), [&]() -> Result<void> {
    const auto identity = identity_of(connection, row);
    if (!identity) return identity.error();
    if (identity->ended) {
      return Error{ErrorCode::kFailedPrecondition,
                   fmt::format("attempt {} has ended; it cannot be queued again", row)};
    }
    Query(connection, "UPDATE attempt SET started_ns = NULL, given_ns = NULL WHERE row = ?")
        .bind(row)
        .run();
    Query(connection, "DELETE FROM lease WHERE attempt = ?").bind(row).run();
    return {};
  });
}

}  // namespace sweepd
