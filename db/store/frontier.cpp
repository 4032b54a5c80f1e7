// Skips points at least as large as one that ran out of memory.
#include <fmt/format.h>

#include "db/base/ending_columns.h"
#include "db/base/pool_hosts.h"
#include "db/store/state.h"
#include "runner/model/sweep/frontier.h"

namespace sweepd {
namespace {

struct Queued {
  std::int64_t row = 0, trial = 0;
  AttemptId id;
  TrialKey trial_key;
};

// Queued attempts of its sweeps, pool and pass that no sweep with `frontier: off` wants.
std::vector<Queued> queued_beside(Connection& connection, std::int64_t attempt) {
  Query query(
      connection,
      "SELECT DISTINCT a.row, a.trial, a.uid, u.key FROM attempt oom "
      "JOIN trial t ON t.id = oom.trial "
      "JOIN sweep_attempt mine ON mine.attempt = oom.row "
      "JOIN sweep_attempt its ON its.sweep = mine.sweep "
      "JOIN attempt a ON a.row = its.attempt AND a.outcome IS NULL AND a.pass = oom.pass "
      "JOIN trial u ON u.id = a.trial AND u.workload = t.workload AND u.version = t.version "
      "WHERE oom.row = ? AND " +
          pool_of_attempt("a") + " = " + pool_of_attempt("oom") + " AND " + left_queue_ns("a") +
          " IS NULL AND NOT EXISTS (SELECT 1 FROM sweep_attempt o JOIN sweep w ON w.id = "
          "o.sweep WHERE o.attempt = a.row AND w.frontier = 0) ORDER BY a.position");
  query.bind(attempt);
  std::vector<Queued> found;
  while (query.next()) {
    found.push_back({query.integer(0), query.integer(1), query.text(2), query.text(3)});
  }
  return found;
}

}  // namespace

Result<std::vector<Store::SkippedAttempt>> Store::skip_beyond(const OpenAttempt& oom,
                                                              WallTime now) {
  Connection& connection = state_->connection;
  const WorkloadDef* def = state_->catalog.find(oom.workload);
  if (def == nullptr) return std::vector<SkippedAttempt>();
  return state_->transact("leaving out points beyond one that ran out of memory", [&] {
    std::vector<SkippedAttempt> left;
    ParamTable params(connection, *def);
    const auto pool = pool_param(*def);
    for (const Queued& queued : queued_beside(connection, oom.row)) {
      auto trial = params.read(queued.trial);
      // A trial's rows do not have the pool, which may differ between its attempts.
      if (trial && pool) trial->values[*pool] = oom.trial.values[*pool];
      if (!trial || !is_beyond(*def, oom.trial, *trial)) continue;
      Ending ending{
          Skipped{fmt::format("{} ({})", kBeyondMemory, limits_text(*def, oom.trial, *trial))}, 0};
      set_ending(connection, queued.row, ending, now);
      left.push_back(
          {queued.row, queued.id, queued.trial_key, std::move(*trial), std::move(ending)});
    }
    return Result<std::vector<SkippedAttempt>>(std::move(left));
  });
}

}  // namespace sweepd
