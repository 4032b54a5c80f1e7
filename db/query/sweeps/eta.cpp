// A running sweep's progress and contents.
#include <map>

#include "db/query/state.h"

namespace sweepd {
namespace {

// ?1 is the sweep. `key` is read only if each trial has its own weight, since a sweep without
// weights may have a million trials.
std::string eta_select(bool by_trial) {
  const std::string key = by_trial ? "t.key" : "''";
  return "SELECT a.pass, " + key +
         " AS key, count(*) FILTER (WHERE a.outcome IS NULL AND a.started_ns IS NULL), "
         "count(a.ended_ns - a.started_ns) FILTER (WHERE sa.origin <> 'reused'), "
         "coalesce(sum(a.ended_ns - a.started_ns) FILTER (WHERE sa.origin <> 'reused'), 0) "
         "FROM sweep_attempt sa JOIN attempt a ON a.row = sa.attempt " +
         (by_trial ? "JOIN trial t ON t.id = a.trial " : "") +
         "WHERE sa.sweep = ? GROUP BY a.pass, key";
}

}  // namespace

Result<std::vector<PassEta>> Reader::eta(const SweepId& sweep, const AttemptWeights& weights) {
  return state_->ask("timing a sweep", [&]() -> Result<std::vector<PassEta>> {
    const auto row = sweep_row(*state_, sweep);
    if (!row) return row.error();
    std::map<Pass, PassEta> by_pass;
    Query query(state_->connection, eta_select(!weights.empty()));
    query.bind(*row);
    while (query.next()) {
      const Pass pass = *pass_from(query.text(0));
      const double weight = weights.of(query.text(1), pass);
      PassEta& eta = by_pass.try_emplace(pass, PassEta{pass, 0, 0, {}}).first->second;
      eta.queued += weight * static_cast<double>(query.integer(2));
      eta.ended += weight * static_cast<double>(query.integer(3));
      eta.took.ns += query.integer(4);
    }
    std::vector<PassEta> all;
    for (const auto& [pass, eta] : by_pass) all.push_back(eta);
    return all;
  });
}

Result<std::vector<SweepTrial>> Reader::trials_of(const SweepId& sweep, const WorkloadDef& def) {
  return state_->ask("reading a sweep's trials", [&]() -> Result<std::vector<SweepTrial>> {
    const auto row = sweep_row(*state_, sweep);
    if (!row) return row.error();
    ParamTable params(state_->connection, def);
    std::vector<SweepTrial> trials;
    std::int64_t last = -1;
    Query query(state_->connection,
                "SELECT DISTINCT t.id, t.key, a.pass FROM sweep_attempt sa "
                "JOIN attempt a ON a.row = sa.attempt JOIN trial t ON t.id = a.trial "
                "WHERE sa.sweep = ? ORDER BY t.id");
    query.bind(*row);
    while (query.next()) {
      if (query.integer(0) != last) {
        last = query.integer(0);
        const auto trial = params.read(last);
        if (!trial) {
          return Error{ErrorCode::kInternal, "trial " + query.text(1) + " has no parameters"};
        }
        trials.push_back({query.text(1), *trial, {}});
      }
      trials.back().passes.push_back(*pass_from(query.text(2)));
    }
    return trials;
  });
}

Result<std::unordered_set<TrialKey>> Reader::trial_keys_of(const SweepId& sweep) {
  return state_->ask("reading a sweep's trials", [&]() -> Result<std::unordered_set<TrialKey>> {
    const auto row = sweep_row(*state_, sweep);
    if (!row) return row.error();
    std::unordered_set<TrialKey> keys;
    Query query(state_->connection,
                "SELECT t.key FROM sweep_attempt sa JOIN attempt a ON a.row = sa.attempt "
                "JOIN trial t ON t.id = a.trial WHERE sa.sweep = ?");
    query.bind(*row);
    while (query.next()) keys.insert(query.text(0));
    return keys;
  });
}

}  // namespace sweepd
