#include <algorithm>
#include <map>
#include <set>

#include "runner/base/ids.h"
#include "runner/daemon/recovery/found_sweep.h"
#include "runner/model/pool_name.h"
#include "runner/model/program.h"

namespace sweepd {
namespace {

// The declarations of a program by all its sweeps, combined.
std::shared_ptr<const WorkloadDef> definition_of(const std::vector<const FoundAttempt*>& attempts,
                                                 const Catalog& catalog) {
  const FoundAttempt& first = *attempts.front();
  if (first.def->base.empty()) return first.def;
  const WorkloadDef* known = catalog.programs->find(first.attempt.workload);
  WorkloadDef declaration = declaration_of(known ? *known : *first.def);
  for (const FoundAttempt* one : attempts) {
    declaration = merge_programs(declaration, declaration_of(*one->def)).declaration;
  }
  return std::make_shared<const WorkloadDef>(
      define_program(*catalog.find(first.def->base), declaration));
}

}  // namespace

FoundSweep guess_sweep(const std::vector<const FoundAttempt*>& attempts, const Catalog& catalog) {
  const FoundAttempt& first = *attempts.front();
  const auto& identity = first.attempt.sweep;
  FoundSweep found;
  found.def = definition_of(attempts, catalog);
  found.submitted = false;
  NewSweep& request = found.request;
  const bool sentinel = identity && !identity->sentinel_of.empty();
  if (sentinel) found.sentinel_of = identity->sentinel_of;
  request.id = identity ? identity->id : random_id();
  request.sweep.name = sentinel   ? identity->name
                       : identity ? "recovered-" + identity->name
                                  : "recovered-" + first.attempt.workload;
  if (request.sweep.name.size() > kLongestSweepName) request.sweep.name.resize(kLongestSweepName);
  request.sweep.description = sentinel ? "sentinel of sweep " + found.sentinel_of
                                       : "recovered from the folders of its attempts";
  request.sweep.workload = first.attempt.workload;
  if (!found.def->base.empty()) request.sweep.program = found.def;
  request.submitted = first.attempt.started.value_or(WallTime{0});
  std::map<std::pair<TrialKey, std::string>, std::size_t> places;  // by key and pool
  std::set<Pass> passes;
  const auto repeats_of = found.def->index_of("repeats");
  for (const FoundAttempt* one : attempts) {
    passes.insert(one->attempt.pass);
    if (one->attempt.started) {
      request.submitted.ns = std::min(request.submitted.ns, one->attempt.started->ns);
    }
    const auto [place, is_new] = places.try_emplace(
        {one->attempt.trial_key, pool_of(*one->def, one->attempt.trial)}, request.trials.size());
    if (is_new) {
      request.trials.push_back({one->attempt.trial_key, trial_as(*found.def, *one), one->base_key});
      if (repeats_of) request.trials.back().trial.values[*repeats_of] = std::int64_t{1};
    }
    if (!repeats_of) continue;
    Value& repeats = request.trials[place->second].trial.values[*repeats_of];
    repeats = std::max(std::get<std::int64_t>(repeats), std::int64_t{one->attempt.repeat} + 1);
  }
  request.sweep.passes.assign(passes.begin(), passes.end());
  return found;
}

}  // namespace sweepd
