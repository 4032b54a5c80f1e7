#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "db/store/enqueue.h"
#include "db/store/holds.h"
#include "db/store/state.h"
#include "runner/base/text.h"

namespace sweepd {
namespace {

struct Candidate {
  std::int64_t attempt = 0, trial = 0;
  TrialKey key;
  Pass pass = Pass::kTiming;
  int repeat = 0;
  std::int64_t priority = 0;
  Duration timeout{0};
  std::string outcome, verdict, pool;
};

bool contains(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

bool selected(const Candidate& candidate, const std::vector<std::string>& which) {
  if (which.empty()) return contains(problem_words(), candidate.outcome);
  return contains(which, candidate.outcome) || contains(which, candidate.verdict);
}

Result<void> check_words(const std::vector<std::string>& which) {
  const std::vector<std::string> known = retry_words();
  for (const std::string& word : which) {
    if (contains(known, word)) continue;
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("`{}` is neither an outcome nor a verdict; expected one of {}{}", word,
                             join(known, ", "), did_you_mean(word, known))};
  }
  return {};
}

// Returns the requested ended attempts of the sweep, in queue order. They include an attempt
// that was cancelled and has not ended yet: it still runs, but no live sweep waits for it.
std::vector<Candidate> candidates_of(Connection& connection, std::int64_t sweep,
                                     const std::vector<std::string>& which) {
  std::vector<Candidate> all;
  Query query(
      connection,
      "SELECT a.row, a.trial, t.key, a.pass, a.repeat, st.priority, st.timeout_ns, "
      "coalesce(a.outcome, 'cancelled'), a.verdict, st.pool FROM sweep_attempt sa JOIN attempt a "
      "ON "
      "a.row = sa.attempt "
      "JOIN trial t ON t.id = a.trial "
      "JOIN sweep_trial st ON st.sweep = sa.sweep AND st.trial = a.trial AND st.pool = " +
          pool_of_attempt("a") + " WHERE sa.sweep = ? AND (a.outcome IS NOT NULL OR (" +
          left_queue_ns("a") +
          " IS NOT NULL AND "
          "NOT EXISTS (SELECT 1 FROM sweep_attempt other JOIN sweep s ON s.id = other.sweep "
          "WHERE other.attempt = a.row AND s.cancelled_ns IS NULL))) ORDER BY a.position");
  query.bind(sweep);
  while (query.next()) {
    Candidate candidate{query.integer(0),
                        query.integer(1),
                        query.text(2),
                        *pass_from(query.text(3)),
                        static_cast<int>(query.integer(4)),
                        query.integer(5),
                        Duration{query.integer(6)},
                        query.text(7),
                        query.text(8),
                        query.text(9)};
    if (selected(candidate, which)) all.push_back(std::move(candidate));
  }
  return all;
}

Result<const WorkloadDef*> workload_of(Connection& connection, const Catalog& catalog,
                                       std::int64_t sweep) {
  Query query(connection, "SELECT workload FROM sweep WHERE id = ?");
  query.bind(sweep);
  query.next();
  if (const WorkloadDef* def = catalog.find(query.text(0))) return def;
  return Error{ErrorCode::kFailedPrecondition,
               fmt::format("this build has no workload `{}`", query.text(0))};
}

std::int64_t count_trials(Connection& connection, std::int64_t sweep) {
  Query query(connection, "SELECT count(*) FROM sweep_trial WHERE sweep = ?");
  query.bind(sweep);
  query.next();
  return query.integer(0);
}

// Returns a trial as the sweep wanted it: its parameters, with this sweep's own priority, timeout
// and pool.
Trial trial_of(ParamTable& params, const WorkloadDef& def, const Candidate& candidate) {
  Trial trial = params.read(candidate.trial).value_or(default_trial(def));
  for (std::size_t i = 0; i < def.params.size(); ++i) {
    if (!is_per_sweep(def.params[i])) continue;
    if (def.params[i].name == "priority") trial.values[i] = candidate.priority;
    if (def.params[i].name == "timeout") trial.values[i] = candidate.timeout.ns;
    if (def.params[i].role == ParamRole::kPlace) trial.values[i] = candidate.pool;
  }
  return trial;
}

}  // namespace

Result<SubmitReceipt> Store::retry_sweep(const SweepId& sweep,
                                         const std::vector<std::string>& which, WallTime when,
                                         const MachineIds& machines, Insist insist) {
  if (auto words = check_words(which); !words) return words.error();
  Connection& connection = state_->connection;
  return state_->transact("retrying sweep " + sweep, [&]() -> Result<SubmitReceipt> {
    const auto row = sweep_row(connection, sweep);
    if (!row) return row.error();
    const auto def = workload_of(connection, state_->catalog, *row);
    if (!def) return def.error();
    SubmitReceipt receipt;
    receipt.trials = count_trials(connection, *row);
    const auto candidates = candidates_of(connection, *row, which);
    if (candidates.empty()) return receipt;
    Query(connection,
          "UPDATE sweep SET cancelled_ns = NULL WHERE id = ?1 OR sentinel_of = (SELECT uid FROM "
          "sweep WHERE id = ?1)")
        .bind(*row)
        .run();
    ParamTable params(connection, **def);
    const std::string kNoBaseKey;
    Enqueuer enqueuer(*state_, *row, **def, Reuse::kSame, machines, when, receipt, insist);
    for (const Candidate& candidate : candidates) {
      Query(connection, "DELETE FROM sweep_attempt WHERE sweep = ? AND attempt = ?")
          .bind_all(*row, candidate.attempt)
          .run();
      const Trial trial = trial_of(params, **def, candidate);
      const Enqueuer::Wanted wanted{
          candidate.trial, candidate.key,    kNoBaseKey,         (*def)->name,     trial,
          candidate.pass,  candidate.repeat, candidate.priority, candidate.timeout};
      if (enqueuer.use_existing(wanted, candidate.attempt)) continue;
      // Skipped as before: its row has the reason.
      const bool is_skipped = candidate.outcome == name_of(Outcome::kSkipped);
      if (is_skipped && enqueuer.skips(wanted)) {
        enqueuer.link(candidate.attempt, "queued");
        continue;
      }
      enqueuer.add(wanted, Enqueuer::Siblings::kPossible);
    }
    // If nothing starts, no notification becomes due.
    if (receipt.attempts_skipped < static_cast<std::int64_t>(candidates.size())) {
      Query(connection,
            "UPDATE notification SET begun_ns = NULL, ended_ns = NULL, problem = '' WHERE sweep = "
            "?")
          .bind(*row)
          .run();
    }
    add_holds(connection, *row, receipt);
    return receipt;
  });
}

}  // namespace sweepd
