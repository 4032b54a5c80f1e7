// Finds the attempts that already count for a sweep before it is submitted, and past ones to
// estimate from.
#include <array>
#include <map>
#include <utility>

#include "db/base/crash_limit.h"
#include "db/base/held.h"
#include "db/base/older_result.h"
#include "db/base/pool_hosts.h"
#include "db/query/state.h"
#include "runner/model/sweep/trial.h"
#include "runner/model/vocabulary/pool_name.h"

namespace sweepd {
namespace {

std::int64_t host_row(Connection& connection, const std::string& uid) {
  Query query(connection, "SELECT id FROM host WHERE uid = ?");
  query.bind(uid);
  return query.next() ? query.integer(0) : -1;
}

// The attempt that counts for one (pass, repeat) of a trial: an open attempt before a done one, as
// in submit.
struct Answer {
  bool open = false, running = false, held = false;
  bool changed = false;  // done, but by other code or on another machine
  std::optional<Outcome> outcome;
};

TrialStanding standing_of(const std::map<std::pair<Pass, std::int64_t>, Answer>& answers,
                          const std::vector<Pass>& passes, std::int64_t repeats) {
  TrialStanding standing;
  for (const Pass pass : passes) {
    for (std::int64_t r = 0; r < rounds_of(pass, repeats); ++r) {
      const auto found = answers.find({pass, r});
      const Answer answer = found == answers.end() ? Answer{} : found->second;
      if (answer.open) {
        ++(answer.running ? standing.running : standing.queued);
        if (answer.held && !answer.running) ++standing.held;
      } else if (answer.outcome == Outcome::kDone && !answer.changed) {
        ++standing.reused;
      } else {
        ++standing.to_run[static_cast<std::size_t>(pass)];
        if (answer.outcome && !answer.changed) standing.last = answer.outcome;
      }
    }
  }
  return standing;
}

// An attempt that was never measured with these parameters is no change.
void find_changes(OlderResults& older, std::int64_t host, const WorkloadDef& def,
                  const WantedTrial& wanted, const MachinesNow& machines,
                  const std::map<std::pair<Pass, std::int64_t>, Answer>& answers,
                  const std::vector<Pass>& passes, Changes& changes) {
  static const std::string kNone;
  const std::string& base_key = wanted.base_key == nullptr ? kNone : *wanted.base_key;
  if (wanted.trial == nullptr) return;
  for (const Pass pass : passes) {
    for (std::int64_t r = 0; r < rounds_of(pass, wanted.repeats); ++r) {
      const auto found = answers.find({pass, r});
      const bool answered = found != answers.end();
      if (answered ? !found->second.changed || found->second.open : base_key.empty()) continue;
      const auto result = older.find(*wanted.key, base_key, name_of(pass), r, host);
      if (result) {
        count_change(changes, *result, def, *wanted.trial, machines.of(*wanted.trial));
      }
    }
  }
}

// Moves from `to_run` the attempts that are not queued because the trial killed its workers.
void skip_crashing(Connection& connection, const WorkloadDef& def, std::int64_t trial,
                   const std::vector<Pass>& passes, std::int64_t host, const std::string& machine,
                   TrialStanding& standing) {
  for (const Pass pass : passes) {
    std::int64_t& to_run = standing.to_run[static_cast<std::size_t>(pass)];
    if (to_run == 0) continue;
    const Crashes crashes = crashes_of(connection, def, trial, name_of(pass), host, machine);
    if (!crashes.at_limit()) continue;
    standing.skipped += std::exchange(to_run, 0);
    standing.skipped_because = describe(ending_of(crashes));
  }
}

class PastReader {
 public:
  PastReader(ReaderState& state, const WorkloadDef& def)
      : state_(state), params_(state.connection, def) {}

  std::optional<PastAttempt> read(std::int64_t attempt, std::int64_t trial) {
    const auto [entry, added] = trials_.try_emplace(trial);
    if (added) entry->second = params_.read(trial);
    if (!entry->second) return std::nullopt;
    PastAttempt past;
    past.trial = *entry->second;
    if (const auto [n, mean] = summary(attempt, "setup_time", "setup"); n > 0) past.setup_ms = mean;
    if (const auto [n, mean] = summary(attempt, "host_time", "step"); n > 0 && mean > 0) {
      past.step_ms = mean;
      past.steps = n;
    }
    read_work(attempt, past);
    past.resident_bytes = resident(trial);
    return past;
  }

 private:
  std::pair<std::int64_t, double> summary(std::int64_t attempt, const char* metric,
                                          const char* phase) {
    const auto metric_id = state_.names.find(metric), phase_id = state_.names.find(phase);
    if (!metric_id || !phase_id) return {0, 0};
    Query query(state_.connection,
                "SELECT n, mean FROM summary WHERE attempt = ? AND metric = ? AND phase = ?");
    query.bind_all(attempt, *metric_id, *phase_id);
    return query.next() ? std::pair{query.integer(0), query.real(1)}
                        : std::pair{std::int64_t{0}, 0.0};
  }
  void read_work(std::int64_t attempt, PastAttempt& past) {
    Query query(state_.connection,
                "SELECT w.arithmetic, p.flops, p.bytes FROM work w LEFT JOIN phase_work p ON "
                "p.attempt = w.attempt AND p.phase = ? WHERE w.attempt = ?");
    query.bind_all(state_.names.find("step").value_or(-1), attempt);
    if (!query.next()) return;
    past.arithmetic = query.text(0);
    if (query.is_null(1)) return;
    past.flops = query.real(1);
    past.bytes = query.real(2);
  }
  double resident(std::int64_t trial) {
    const auto [entry, added] = resident_.try_emplace(trial, 0);
    if (!added) return entry->second;
    WorkPerStep work;
    work.phases.push_back({"step", 0, 0});
    Query query(
        state_.connection,
        "SELECT n.text, f.value FROM figure f JOIN name n ON n.id = f.name WHERE f.trial = ?");
    query.bind(trial);
    while (query.next()) work.figures.push_back({query.text(0), query.real(1), ""});
    return entry->second = resident_bytes(work);
  }

  ReaderState& state_;
  ParamTable params_;
  std::unordered_map<std::int64_t, std::optional<Trial>> trials_;
  std::unordered_map<std::int64_t, double> resident_;
};

}  // namespace

Result<std::vector<TrialStanding>> Reader::standing(const WorkloadDef& def,
                                                    const std::vector<WantedTrial>& trials,
                                                    const std::vector<Pass>& passes,
                                                    const std::string& host,
                                                    const MachineIds& ids) {
  return state_->ask("comparing with past attempts", [&]() -> Result<std::vector<TrialStanding>> {
    Connection& connection = state_->connection;
    const std::int64_t here = host_row(connection, host);
    std::vector<TrialStanding> all;
    all.reserve(trials.size());
    Query known(connection, "SELECT id FROM trial WHERE key = ?");
    Query attempts(connection, "SELECT pass, repeat, outcome, started_ns IS NOT NULL, " +
                                   same_code_and_machine("attempt") + ", outcome IS NULL AND " +
                                   is_held("attempt") +
                                   " FROM attempt WHERE trial = ? AND ((outcome IS NULL AND " +
                                   pool_of_attempt("attempt") +
                                   " = ?) OR (is_current = 1 AND host = ?))");
    OlderResults older(connection, def);
    PoolHosts hosts(connection, here);
    const MachinesNow machines(def, ids);
    std::map<std::pair<Pass, std::int64_t>, Answer> answers;
    for (const WantedTrial& wanted : trials) {
      const std::string pool(wanted.trial == nullptr ? std::string(kLocalPool)
                                                     : pool_of(def, *wanted.trial));
      const std::int64_t host_there = hosts.find(pool);
      answers.clear();
      known.rewind();
      known.bind(*wanted.key);
      std::optional<std::int64_t> row;
      if (known.next()) {
        row = known.integer(0);
        attempts.rewind();
        attempts.bind_all(def.code, wanted.trial == nullptr ? "" : machines.of(*wanted.trial).hash,
                          *row, pool, host_there);
        while (attempts.next()) {
          Answer& answer = answers[{*pass_from(attempts.text(0)), attempts.integer(1)}];
          if (attempts.is_null(2)) {
            answer.open = true;
            answer.running = answer.running || attempts.integer(3) != 0;
            answer.held = attempts.integer(5) != 0;
          } else {
            answer.outcome = *outcome_from(attempts.text(2));
            answer.changed = answer.outcome == Outcome::kDone && attempts.integer(4) == 0;
          }
        }
      }
      TrialStanding& standing = all.emplace_back(standing_of(answers, passes, wanted.repeats));
      if (row) {
        skip_crashing(connection, def, *row, passes, host_there,
                      wanted.trial == nullptr ? "" : machines.of(*wanted.trial).hash, standing);
      }
      find_changes(older, host_there, def, wanted, machines, answers, passes, standing.changes);
    }
    return all;
  });
}

Result<std::vector<PastAttempt>> Reader::past_attempts(const WorkloadDef& def,
                                                       const std::string& host, std::int64_t limit,
                                                       const std::string& pool) {
  return state_->ask("reading past attempts", [&]() -> Result<std::vector<PastAttempt>> {
    std::vector<PastAttempt> all;
    PastReader reader(*state_, def);
    Query query(
        state_->connection,
        "SELECT a.row, a.trial, t.key, a.pass, a.ended_ns - a.started_ns FROM attempt a JOIN "
        "trial t ON t.id = a.trial WHERE t.workload = ? AND t.version = ? AND a.host = ? AND "
        "a.outcome = 'done' AND a.started_ns IS NOT NULL ORDER BY a.row DESC LIMIT ?");
    PoolHosts hosts(state_->connection, host_row(state_->connection, host));
    query.bind_all(def.name, def.version, hosts.find(pool), limit);
    while (query.next()) {
      auto past = reader.read(query.integer(0), query.integer(1));
      if (!past) continue;
      past->key = query.text(2);
      past->pass = *pass_from(query.text(3));
      past->took = Duration{query.integer(4)};
      all.push_back(std::move(*past));
    }
    return all;
  });
}

}  // namespace sweepd
