// Rebuilds a lost database's sweeps and attempts from the daemon's other files.
#include <fmt/format.h>

#include <optional>
#include <set>
#include <tuple>

#include "db/base/pool_hosts.h"
#include "db/store/enqueue.h"
#include "db/store/insert_trials.h"
#include "db/store/state.h"

namespace sweepd {
namespace {

using Point = std::tuple<std::int64_t, std::string, int, std::string>;  // trial, pass, repeat, pool

// The points that the sweep's own attempts answer. Only the newest of several of one point keeps
// its link, as after a retry.
std::set<Point> answered(Connection& connection, std::int64_t sweep) {
  Query(
      connection,
      fmt::format("DELETE FROM sweep_attempt WHERE sweep = ?1 AND attempt IN (SELECT a.row FROM "
                  "attempt a JOIN sweep_attempt sa ON sa.attempt = a.row AND sa.sweep = ?1 JOIN "
                  "attempt b ON b.trial = a.trial AND b.pass = a.pass AND b.repeat = a.repeat AND "
                  "{} = {} JOIN sweep_attempt sb ON sb.attempt = b.row AND sb.sweep = ?1 WHERE "
                  "(coalesce(b.started_ns, b.ended_ns), b.row) > (coalesce(a.started_ns, "
                  "a.ended_ns), a.row))",
                  pool_of_attempt("a"), pool_of_attempt("b")))
      .bind(sweep)
      .run();
  std::set<Point> points;
  Query query(connection, fmt::format("SELECT a.trial, a.pass, a.repeat, {} FROM sweep_attempt sa "
                                      "JOIN attempt a ON a.row = sa.attempt WHERE sa.sweep = ?",
                                      pool_of_attempt("a")));
  query.bind(sweep);
  while (query.next()) {
    points.emplace(query.integer(0), query.text(1), static_cast<int>(query.integer(2)),
                   query.text(3));
  }
  return points;
}

std::vector<TrialRow> trials_of(Connection& connection, std::int64_t sweep) {
  std::vector<TrialRow> trials;
  Query query(connection,
              "SELECT trial, priority, repeats, timeout_ns FROM sweep_trial WHERE sweep = ? ORDER "
              "BY position");
  query.bind(sweep);
  while (query.next()) {
    TrialRow& trial = trials.emplace_back();
    trial.row = query.integer(0);
    trial.priority = query.integer(1);
    trial.repeats = query.integer(2);
    trial.timeout = Duration{query.integer(3)};
  }
  return trials;
}

struct ResultOfThen {
  std::int64_t row = 0;
  bool was_done = false;  // when the sweep was submitted
};

// The newest result from before the sweep's submission, which it reused; else the first one after
// it, which it joined. Later results of the point belong to other sweeps.
std::optional<ResultOfThen> result_of_then(Connection& connection, const Enqueuer::Wanted& wanted,
                                           std::int64_t host, WallTime submitted) {
  Query query(connection,
              "SELECT row, ended_ns <= ?1 FROM attempt WHERE trial = ?2 AND pass = ?3 AND repeat = "
              "?4 AND host = ?5 AND outcome = 'done' ORDER BY ended_ns <= ?1 DESC, abs(ended_ns - "
              "?1), row DESC LIMIT 1");
  query.bind_all(submitted.ns, wanted.trial_row, name_of(wanted.pass), wanted.repeat, host);
  if (!query.next()) return std::nullopt;
  return ResultOfThen{query.integer(0), query.integer(1) != 0};
}

}  // namespace

Result<void> Store::restore_sweep(const NewSweep& request, const WorkloadDef& def,
                                  const SweepId& sentinel_of) {
  Connection& connection = state_->connection;
  std::optional<WorkloadDef> program;
  const std::string what = fmt::format("restoring sweep `{}`", request.sweep.name);
  auto restored = state_->transact(what, [&]() -> Result<void> {
    if (request.sweep.program) {
      auto declared = declare_program(*state_, def);
      if (!declared) return declared.error();
      program = std::move(*declared);
    }
    const std::int64_t sweep = insert_sweep(connection, request, def);
    if (!sentinel_of.empty()) {
      Query(connection, "UPDATE sweep SET sentinel_of = ? WHERE id = ?")
          .bind_all(sentinel_of, sweep)
          .run();
    }
    insert_trials(*state_, sweep, request, def);
    return {};
  });
  if (restored && program) state_->catalog.programs->set(std::move(*program));
  return restored;
}

Result<std::int64_t> Store::restore_attempt(const OpenAttempt& attempt, const TrialKey& base_key,
                                            const SweepId& sweep, const WorkloadDef& def) {
  Connection& connection = state_->connection;
  const std::string what = "restoring attempt " + attempt.id;
  return state_->transact(what, [&]() -> Result<std::int64_t> {
    const auto sweep_id = sweep_row(connection, sweep);
    if (!sweep_id) return sweep_id.error();
    ParamTable params(connection, def);
    const TrialRow trial =
        find_or_insert_trial(connection, def, params, {attempt.trial_key, attempt.trial, base_key});
    const std::int64_t host =
        PoolHosts(connection, state_->host).find_or_insert(pool_of(def, attempt.trial));
    Query insert(connection,
                 "INSERT INTO attempt (uid, trial, pass, repeat, host, is_current, position, "
                 "priority, timeout_ns, started_ns) VALUES (?, ?, ?, ?, ?, 0, ?, ?, ?, ?)");
    insert.bind_all(attempt.id, trial.row, name_of(attempt.pass), attempt.repeat, host,
                    state_->take_position(), attempt.priority, attempt.timeout.ns);
    attempt.started ? insert.bind(attempt.started->ns) : insert.bind_null();
    insert.run();
    const std::int64_t row = connection.database().getLastInsertRowid();
    insert_lease(connection, row, attempt.lease);
    Query(connection, "INSERT INTO sweep_attempt (sweep, attempt, origin) VALUES (?, ?, 'queued')")
        .bind_all(*sweep_id, row)
        .run();
    return row;
  });
}

Result<SubmitReceipt> Store::restore_answers(const NewSweep& request, const WorkloadDef& def) {
  Connection& connection = state_->connection;
  const std::string what = fmt::format("restoring the answers of sweep `{}`", request.sweep.name);
  return state_->transact(what, [&]() -> Result<SubmitReceipt> {
    const auto sweep = sweep_row(connection, request.id);
    if (!sweep) return sweep.error();
    const std::vector<TrialRow> trials = trials_of(connection, *sweep);
    std::vector<std::int64_t> repeats;
    for (const TrialRow& trial : trials) repeats.push_back(trial.repeats);
    const std::set<Point> known = answered(connection, *sweep);
    PoolHosts hosts(connection, state_->host);
    SubmitReceipt receipt;
    Enqueuer enqueuer(*state_, *sweep, def, Reuse::kAny, request.machines, request.submitted,
                      receipt);
    for (const Slot& slot : slots_in_order(request.sweep, request.id, repeats)) {
      const TrialRow& row = trials[slot.trial];
      const NewTrial& trial = request.trials[slot.trial];
      if (known.contains(
              {row.row, std::string(name_of(slot.pass)), slot.repeat, pool_of(def, trial.trial)})) {
        continue;
      }
      const Enqueuer::Wanted wanted{row.row,   trial.key,   trial.base_key, def.name,   trial.trial,
                                    slot.pass, slot.repeat, row.priority,   row.timeout};
      const auto result = result_of_then(connection, wanted, hosts.find(pool_of(def, trial.trial)),
                                         request.submitted);
      if (result) {
        enqueuer.link(result->row, result->was_done ? "reused" : "joined");
        ++receipt.attempts_reused;
      } else if (!enqueuer.use_existing(wanted)) {
        enqueuer.add(wanted, Enqueuer::Siblings::kPossible);
      }
    }
    return receipt;
  });
}

Result<void> Store::restore_unmeasured(const std::vector<std::int64_t>& rows,
                                       const std::string& reason, WallTime when) {
  return state_->transact("ending what was not found", [&]() -> Result<void> {
    for (const std::int64_t row : rows) {
      Query open(state_->connection, "SELECT 1 FROM attempt WHERE row = ? AND outcome IS NULL");
      open.bind(row);
      if (open.next()) set_ending(state_->connection, row, {Cancelled{reason}, 0}, when);
    }
    return {};
  });
}

}  // namespace sweepd
