#include "runner/daemon/planning/plan_shared.h"

#include <algorithm>

#include "runner/daemon/formulas/work_of_trials.h"

namespace sweepd {
namespace {

constexpr std::int64_t kPastAttempts = 2000;  // the newest, which show the machine's current speed

// Adds those among `picked` that were not requested yet.
void add_questions(const PlanShared& shared, const PreparedSweep& prepared,
                   const std::vector<std::size_t>& picked, std::vector<AskedTrial>& asked,
                   std::vector<TrialKey>& keys) {
  for (const std::size_t i : picked) {
    const ExpandedTrial& trial = prepared.expansion.trials[i];
    if (shared.works.contains(trial.key)) continue;
    asked.push_back({prepared.def, &trial.trial});
    keys.push_back(trial.key);
  }
}

void ask(const PlanContext& context, const std::vector<AskedTrial>& asked,
         const std::vector<TrialKey>& keys) {
  if (asked.empty()) return;
  const auto works = work_of_trials(context.worker, asked);
  if (!works) context.shared.work_error = works.error().message;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    context.shared.works.emplace(keys[i], works ? (*works)[i] : std::nullopt);
  }
}

}  // namespace

std::vector<std::size_t> spread_over(std::size_t count, std::size_t most) {
  const std::size_t picked = std::min(count, most);
  std::vector<std::size_t> indices(picked);
  for (std::size_t i = 0; i < picked; ++i) {
    // Includes the first and the last: the largest points of a sweep are usually its last.
    indices[i] = picked == 1 ? 0 : i * (count - 1) / (picked - 1);
  }
  return indices;
}

void share_work(const PlanContext& context, const PreparedSweeps& prepared) {
  constexpr std::size_t kFewest = 10;
  const std::size_t sweeps = std::max<std::size_t>(1, prepared.sweeps.size());
  context.shared.most_looked_at = std::max(kFewest, kMaxLookedAt / sweeps);
  std::vector<AskedTrial> asked;
  std::vector<TrialKey> keys;
  for (const PreparedSweep& one : prepared.sweeps) {
    const std::size_t trials = one.expansion.trials.size();
    add_questions(context.shared, one, spread_over(trials, context.shared.most_looked_at), asked,
                  keys);
  }
  ask(context, asked, keys);
}

void ask_for_work(const PlanContext& context, const PreparedSweep& prepared,
                  const std::vector<std::size_t>& picked) {
  std::vector<AskedTrial> asked;
  std::vector<TrialKey> keys;
  add_questions(context.shared, prepared, picked, asked, keys);
  ask(context, asked, keys);
}

Result<const Estimator*> estimator_of(const PlanContext& context, const WorkloadDef& def,
                                      const std::string& pool) {
  const std::pair key{def.name, pool};
  auto known = context.shared.estimators.find(key);
  if (known == context.shared.estimators.end()) {
    auto past = context.reader.past_attempts(def, context.host.id, kPastAttempts, pool);
    if (!past) return past.error();
    known = context.shared.estimators.emplace(key, Estimator(def, std::move(*past))).first;
  }
  return &known->second;
}

}  // namespace sweepd
