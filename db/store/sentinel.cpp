// The sentinels of a sweep: a separate sweep, which has one trial for each kind of device and
// gets a repeat of it each time.
#include "runner/model/sweep/sentinel.h"

#include <fmt/format.h>

#include <optional>

#include "db/base/param_columns.h"
#include "db/store/enqueue.h"
#include "db/store/insert_sweep.h"
#include "db/store/state.h"
#include "runner/model/vocabulary/pool_name.h"

namespace sweepd {
namespace {

struct WatchedSweep {
  std::int64_t row = 0;
  SweepId id;
  std::string name;
};

// Nothing if the sweep was cancelled or deleted.
std::optional<WatchedSweep> watched_sweep(Connection& connection, std::int64_t row) {
  Query query(connection,
              "SELECT uid, name FROM sweep WHERE id = ? AND cancelled_ns IS NULL AND "
              "sentinel_ns IS NOT NULL");
  query.bind(row);
  if (!query.next()) return std::nullopt;
  return WatchedSweep{row, query.text(0), query.text(1)};
}

struct SentinelSweep {
  std::int64_t row = 0;
  bool cancelled = false;
};

SentinelSweep find_or_insert_sweep(Connection& connection, const WatchedSweep& watched,
                                   const WorkloadDef& def, WallTime now) {
  {
    Query query(connection, "SELECT id, cancelled_ns IS NOT NULL FROM sweep WHERE sentinel_of = ?");
    query.bind(watched.id);
    if (query.next()) return {query.integer(0), query.integer(1) != 0};
  }
  NewSweep request;
  request.id = random_id();
  request.sweep.name = sentinel_name(watched.name);
  request.sweep.description = fmt::format("sentinel of sweep {}", watched.id);
  request.sweep.workload = kSentinelWorkload;
  request.submitted = now;
  const std::int64_t row = insert_sweep(connection, request, def);
  Query(connection,
        "UPDATE sweep SET sentinel_of = ?1, paused_ns = (SELECT w.paused_ns FROM sweep w WHERE "
        "w.uid = ?1) WHERE id = ?2")
      .bind_all(watched.id, row)
      .run();
  return {row, false};
}

// Counts the repeats of all sentinels, of any sweeps.
std::int64_t next_repeat(Connection& connection, std::int64_t trial) {
  Query query(connection,
              "SELECT coalesce(max(repeat) + 1, 0) FROM attempt WHERE trial = ? AND pass = ?");
  query.bind_all(trial, name_of(Pass::kTiming));
  query.next();
  return query.integer(0);
}

// A sweep's results are those of its requested repeats.
void ask_for(Connection& connection, std::int64_t sweep, const TrialRow& trial,
             std::int64_t repeats) {
  Query(connection,
        "INSERT INTO sweep_trial (sweep, trial, position, priority, timeout_ns, repeats) "
        "VALUES (?1, ?2, (SELECT count(*) FROM sweep_trial WHERE sweep = ?1), 0, ?3, ?4) "
        "ON CONFLICT (sweep, trial, pool) DO UPDATE SET repeats = excluded.repeats")
      .bind_all(sweep, trial.row, trial.timeout.ns, repeats)
      .run();
}

}  // namespace

Result<std::optional<OpenAttempt>> Store::add_sentinel(std::int64_t sweep,
                                                       const std::string& device, WallTime now) {
  using Added = std::optional<OpenAttempt>;
  Connection& connection = state_->connection;
  return state_->transact("queueing a sentinel", [&]() -> Result<Added> {
    const WorkloadDef* def = state_->catalog.find(kSentinelWorkload);
    const auto watched = watched_sweep(connection, sweep);
    if (def == nullptr || !watched) return Added();
    const SentinelSweep own = find_or_insert_sweep(connection, *watched, *def, now);
    if (own.cancelled) return Added();
    const Trial values = sentinel_trial(*def, device);
    const NewTrial wanted{key_of(*def, values), values};
    ParamTable params(connection, *def);
    TrialRow trial = find_or_insert_trial(connection, *def, params, wanted);
    trial.timeout = Duration{values.integer(*def, "timeout")};
    const std::int64_t repeat = next_repeat(connection, trial.row);
    ask_for(connection, own.row, trial, repeat + 1);
    SubmitReceipt receipt;
    Enqueuer enqueuer(*state_, own.row, *def, Reuse::kNone, {}, now, receipt);
    const std::string no_base_key;
    enqueuer.add({trial.row, wanted.key, no_base_key, def->name, values, Pass::kTiming,
                  static_cast<int>(repeat), 0, trial.timeout},
                 Enqueuer::Siblings::kPossible);
    if (receipt.queued.empty()) return Added();  // it kills its workers
    return Added(std::move(receipt.queued.front()));
  });
}

Result<std::vector<OwedSentinel>> Store::owed_sentinels() {
  using Owed = std::vector<OwedSentinel>;
  Connection& connection = state_->connection;
  return state_->transact("looking for sentinels", [&]() -> Result<Owed> {
    Owed owed;
    if (state_->catalog.find(kSentinelWorkload) == nullptr) return owed;
    // For each device with a sentinel of the sweep: the last one started before the sweep's last
    // attempt, and no attempt will start another one.
    Query query(
        connection,
        fmt::format(
            "SELECT w.id, p.device FROM sweep s JOIN sweep w ON w.uid = s.sentinel_of "
            "JOIN sweep_trial st ON st.sweep = s.id JOIN {} p ON p.trial = st.trial "
            "WHERE s.cancelled_ns IS NULL AND w.cancelled_ns IS NULL AND NOT EXISTS "
            "(SELECT 1 FROM sweep_attempt sa JOIN attempt a ON a.row = sa.attempt "
            "WHERE sa.sweep = w.id AND a.outcome IS NULL) AND "
            "(SELECT max(coalesce(a.started_ns, a.ended_ns, 9e18)) FROM sweep_attempt sa JOIN "
            "attempt a ON "
            "a.row = sa.attempt WHERE sa.sweep = s.id AND a.trial = st.trial) < "
            "(SELECT max(a.started_ns) FROM sweep_attempt sa JOIN attempt a ON a.row = sa.attempt "
            "WHERE sa.sweep = w.id AND sa.origin = 'queued' AND {} = '{}')",
            sql_name(params_table(std::string(kSentinelWorkload))), pool_of_attempt("a"),
            kLocalPool));
    while (query.next()) owed.push_back({query.integer(0), query.text(1)});
    return owed;
  });
}

}  // namespace sweepd
