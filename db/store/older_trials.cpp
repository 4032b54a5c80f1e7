#include "db/store/older_trials.h"

#include "runner/model/sweep/trial.h"

namespace sweepd {

OlderTrials::OlderTrials(StoreState& state, const NewSweep& request, const WorkloadDef& def)
    : state_(state), request_(request), def_(def), hosts_(state.connection, state.host) {
  if (request.reuse != Reuse::kAny) return;  // nothing will be looked for
  for (const NewTrial& trial : request.trials) requested_.insert(trial.key);
}

std::map<std::int64_t, OlderTrials::Found> OlderTrials::candidates(const NewTrial& wanted,
                                                                   const std::string& pool) {
  std::map<std::int64_t, Found> all;
  // Results from before programs were recorded have the base key as their key.
  Query query(state_.connection,
              "SELECT t.id, t.key, a.pass, a.repeat, coalesce(a.ended_ns, 0) FROM trial t JOIN "
              "attempt a ON a.trial = t.id WHERE (t.key = ?1 OR t.key = ?2 OR t.base_key = ?2) AND "
              "((a.outcome = 'done' AND a.is_current = 1 AND a.host = ?3) OR (a.outcome IS NULL "
              "AND t.key = ?1 AND " +
                  pool_of_attempt("a") + " = ?4))");
  query.bind_all(wanted.key, wanted.base_key, hosts_.find(pool), pool);
  while (query.next()) {
    const bool own = query.text(1) == wanted.key;
    if (!own && requested_.contains(query.text(1))) continue;
    if (taken_.contains({query.integer(0), pool})) continue;
    Found& found = all[query.integer(0)];
    found.own = own;
    found.answered.emplace(*pass_from(query.text(2)), query.integer(3));
    found.newest_ns = std::max(found.newest_ns, query.integer(4));
  }
  return all;
}

bool OlderTrials::answers_all(const Found& found, std::int64_t repeats) const {
  for (const Pass pass : request_.sweep.passes) {
    for (std::int64_t r = 0; r < rounds_of(pass, repeats); ++r) {
      if (!found.answered.contains({pass, r})) return false;
    }
  }
  return true;
}

std::optional<std::int64_t> OlderTrials::find(const NewTrial& wanted, std::int64_t repeats) {
  if (request_.reuse != Reuse::kAny || wanted.base_key.empty()) return std::nullopt;
  std::optional<std::int64_t> best;
  std::int64_t newest_ns = -1;
  const std::string pool = pool_of(def_, wanted.trial);
  for (const auto& [row, found] : candidates(wanted, pool)) {
    if (!answers_all(found, repeats)) continue;
    if (found.own) return std::nullopt;
    if (found.newest_ns <= newest_ns) continue;
    best = row;
    newest_ns = found.newest_ns;
  }
  if (best) taken_.insert({*best, pool});
  return best;
}

}  // namespace sweepd
