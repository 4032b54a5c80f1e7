#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "db/query/plan_names.h"
#include "db/query/pooled_scan.h"
#include "db/query/result_builder.h"

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

// Returns the indices of parameters that differ between some of the trials. If there are more than
// a thousand trials, a thousand are drawn; if they miss a rare value, a footnote does not mention
// it.
std::set<std::size_t> varying_params(ReaderState& state, const WorkloadDef& def,
                                     const std::vector<SelectedAttempt>& attempts,
                                     const Pools& pools) {
  constexpr std::size_t kMax = 1000;
  std::mt19937_64 random(attempts.size());  // a fixed seed: the same database gives the same bytes
  std::set<std::size_t> varying;
  std::optional<Trial> first;
  ParamTable params(state.connection, def);
  for (std::size_t i = 0; i < std::min(kMax, attempts.size()); ++i) {
    const std::size_t pick = attempts.size() <= kMax ? i : random() % attempts.size();
    const auto trial = params.read(attempts[pick].trial);
    if (!trial) continue;
    if (const auto pool = pool_param(def)) {
      if (pools.at(attempts[pick].host) != pools.at(attempts.front().host)) varying.insert(*pool);
    }
    if (!first) first = *trial;
    for (const std::size_t p : stored_params(def)) {
      if (trial->values[p] != first->values[p]) varying.insert(p);
    }
  }
  return varying;
}

}  // namespace

bool add_distinguishing(ReaderState& state, QueryPlan& plan,
                        const std::vector<SelectedAttempt>& attempts) {
  const Pools pools = read_pools(state);
  if (!pools_trials(attempts, pools)) return false;
  const std::size_t before = plan.dimensions.size();
  for (const std::size_t param : varying_params(state, *plan.def, attempts, pools)) {
    const std::string& name = plan.def->params[param].name;
    const auto same = [&name](const PlannedDimension& d) { return d.name == name; };
    if (std::any_of(plan.dimensions.begin(), plan.dimensions.end(), same)) continue;
    plan.dimensions.push_back(describe_dimension(*plan.def, plan.filters, name, ColumnRef(param)));
  }
  return plan.dimensions.size() > before;
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
    if (add_distinguishing(*state_, *plan, attempts)) {
      // The added dimensions need codes too, so the attempts are read again.
      coders.assign(plan->dimensions.size(), DimensionCoder());
      attempts = select_attempts(*state_, *plan, coders);
    }
    return ResultBuilder(*state_, *plan, with_samples).build(attempts, coders);
  });
}

}  // namespace sweepd
