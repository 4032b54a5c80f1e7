#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "db/query/planning/plan_names.h"
#include "db/query/results/pooled_scan.h"
#include "db/query/results/result_builder.h"

namespace sweepd {
namespace {

// The hosts that stand for pools, with these.
using Pools = std::map<std::int64_t, std::string>;

Pools read_pools(ReaderState& state) {
  Pools pools;
  Query query(state.connection, "SELECT id, pool FROM host");
  while (query.next()) pools.emplace(query.integer(0), query.text(1));
  return pools;
}

bool pools_trials(const std::vector<SelectedAttempt>& attempts, const Pools& pools) {
  using Point = std::pair<std::int64_t, std::string_view>;
  std::map<std::vector<std::uint32_t>, Point> point_at;
  for (const SelectedAttempt& attempt : attempts) {
    const Point point{attempt.trial, pools.at(attempt.host)};
    const auto [entry, added] = point_at.try_emplace(attempt.at, point);
    if (!added && entry->second != point) return true;
  }
  return false;
}

struct Varying {
  std::set<std::size_t> params;              // indices
  std::vector<std::optional<Trial>> trials;  // by attempt; empty if some were only drawn
};

// Returns the parameters that differ between some of the trials. If there are more than a thousand
// trials, a thousand are drawn; if they miss a rare value, a footnote does not mention it.
Varying varying_params(ReaderState& state, const WorkloadDef& def,
                       const std::vector<SelectedAttempt>& attempts, const Pools& pools) {
  constexpr std::size_t kMax = 1000;
  std::mt19937_64 random(attempts.size());  // a fixed seed: the same database gives the same bytes
  Varying varying;
  std::optional<Trial> first;
  ParamTable params(state.connection, def);
  const std::vector<std::size_t> stored = stored_params(def);
  const bool all = attempts.size() <= kMax;
  for (std::size_t i = 0; i < std::min(kMax, attempts.size()); ++i) {
    const std::size_t pick = all ? i : random() % attempts.size();
    auto trial = params.read(attempts[pick].trial);
    if (trial) {
      if (const auto pool = pool_param(def)) {
        if (pools.at(attempts[pick].host) != pools.at(attempts.front().host)) {
          varying.params.insert(*pool);
        }
      }
      if (!first) first = *trial;
      for (const std::size_t p : stored) {
        if (trial->values[p] != first->values[p]) varying.params.insert(p);
      }
    }
    if (all) varying.trials.push_back(std::move(trial));
  }
  return varying;
}

// Adds to `plan` the parameters that distinguish the trials of one cell, if some cell has several.
// Returns their indices.
std::vector<std::size_t> add_params(QueryPlan& plan, const std::set<std::size_t>& varying) {
  std::vector<std::size_t> added;
  for (const std::size_t param : varying) {
    const std::string& name = plan.def->params[param].name;
    const auto same = [&name](const PlannedDimension& d) { return d.name == name; };
    if (std::any_of(plan.dimensions.begin(), plan.dimensions.end(), same)) continue;
    plan.dimensions.push_back(describe_dimension(*plan.def, plan.filters, name, ColumnRef(param)));
    added.push_back(param);
  }
  return added;
}

}  // namespace

void add_distinguishing(ReaderState& state, QueryPlan& plan, std::vector<DimensionCoder>& coders,
                        std::vector<SelectedAttempt>& attempts) {
  const Pools pools = read_pools(state);
  if (!pools_trials(attempts, pools)) return;
  const Varying varying = varying_params(state, *plan.def, attempts, pools);
  const auto added = add_params(plan, varying.params);
  if (added.empty()) return;
  const auto is_missing = [](const auto& trial) { return !trial; };
  const auto pool = pool_param(*plan.def);
  const bool known = !varying.trials.empty() &&
                     std::none_of(varying.trials.begin(), varying.trials.end(), is_missing) &&
                     !(pool && std::find(added.begin(), added.end(), *pool) != added.end());
  if (!known) {
    coders.assign(plan.dimensions.size(), DimensionCoder());
    attempts = select_attempts(state, plan, coders);
    return;
  }
  // Reading the attempts again would double the time of the query.
  coders.resize(plan.dimensions.size());
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    for (std::size_t k = 0; k < added.size(); ++k) {
      DimensionCoder& coder = coders[coders.size() - added.size() + k];
      attempts[i].at.push_back(coder.code(varying.trials[i]->values[added[k]]));
    }
  }
}

Result<ResultSet> Reader::results(const QuerySpec& query, bool with_samples) {
  return state_->ask("query", [&]() -> Result<ResultSet> {
    auto plan = plan_results(*state_, query);
    if (!plan) return plan.error();
    // Samples belong to one attempt, so nothing may be pooled.
    if (with_samples) plan->pooling = Pooling::kEachAttempt;
    std::vector<DimensionCoder> coders(plan->dimensions.size());
    if (auto scan = scan_pooled(*state_, *plan, coders)) {
      return ResultBuilder(*state_, *plan, with_samples)
          .build(scan->singles, coders, std::move(scan->pooled));
    }
    auto attempts = select_attempts(*state_, *plan, coders);
    add_distinguishing(*state_, *plan, coders, attempts);
    return ResultBuilder(*state_, *plan, with_samples).build(attempts, coders);
  });
}

}  // namespace sweepd
