#include "runner/daemon/recovery/found_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "runner/base/ids.h"
#include "runner/daemon/planning/prepare.h"
#include "runner/model/vocabulary/plugin.h"
#include "runner/model/vocabulary/pool_name.h"
#include "runner/model/vocabulary/program.h"

namespace sweepd {
namespace {

std::vector<std::string> pools_in(const Submission& submission) {
  std::set<std::string> pools{std::string(kLocalPool)};
  for (const auto& [pool, device] : submission.devices) pools.insert(pool);
  return {pools.begin(), pools.end()};
}

Expansion expand_again(Sweep& sweep, const WorkloadDef& def, const Submission& submission) {
  std::set<std::string> kinds;
  for (const auto& [pool, device] : submission.devices) kinds.insert(device);
  if (kinds.size() == 1) resolve_device(sweep, def, *kinds.begin());
  if (kinds.size() <= 1) return expand(sweep, def);
  return expand(sweep, def, [&](std::string_view pool) -> std::string_view {
    const auto found = submission.devices.find(std::string(pool));
    return found == submission.devices.end() ? "cpu" : std::string_view(found->second);
  });
}

// The trial without the computed parameter.
Trial without_content(const WorkloadDef& def, const FoundAttempt& one) {
  Trial trial = trial_as(def, one);
  if (const auto computed = def.computed_param()) {
    trial.values[*computed] = def.params[*computed].default_value;
  }
  return trial;
}

// Which of two attempts better shows the program at the sweep's submission: the sweep's own, else
// the newest one before it.
std::pair<bool, std::int64_t> closeness(const Submission& submission, const FoundAttempt& one) {
  const bool own = one.attempt.sweep && one.attempt.sweep->id == submission.id;
  const std::int64_t started = one.attempt.started.value_or(WallTime{0}).ns;
  return {own, started <= submission.submitted.ns ? started : -1};
}

// The attempts that have the computed parameter, by the trial's key without it.
std::map<TrialKey, const FoundAttempt*> contents_of(const WorkloadDef& def,
                                                    const Submission& submission,
                                                    const std::vector<FoundAttempt>& attempts) {
  std::map<TrialKey, const FoundAttempt*> contents;
  for (const FoundAttempt& one : attempts) {
    if (one.base_key.empty() || one.attempt.workload != def.name) continue;
    const FoundAttempt*& known = contents[key_of(def, without_content(def, one))];
    if (known == nullptr || closeness(submission, *known) < closeness(submission, one)) {
      known = &one;
    }
  }
  return contents;
}

void fill_in_contents(const WorkloadDef& def, const Submission& submission,
                      const std::vector<FoundAttempt>& attempts, std::vector<NewTrial>& trials) {
  const auto computed = def.computed_param();
  if (!computed) return;
  const auto contents = contents_of(def, submission, attempts);
  for (NewTrial& trial : trials) {
    const auto found = contents.find(trial.key);
    if (found == contents.end()) continue;
    const FoundAttempt& one = *found->second;
    const auto theirs = one.def->computed_param();
    if (!theirs) continue;
    trial.trial.values[*computed] = one.attempt.trial.values[*theirs];
    trial.base_key = std::move(trial.key);
    trial.key = key_of(def, trial.trial);
  }
}

// The plugins of a sweep as its attempts had them: their files may be gone.
PluginFinder plugins_of(const std::vector<FoundAttempt>& attempts) {
  PluginFinder plugins;
  for (const FoundAttempt& one : attempts) {
    if (one.def->base == kPluginBase) plugins.names.push_back(one.attempt.workload);
  }
  plugins.find = [&attempts](const std::string& word) -> Result<FoundPlugin> {
    const std::filesystem::path file = word.substr(0, word.rfind('#'));
    for (const FoundAttempt& one : attempts) {
      if (one.def->base != kPluginBase) continue;
      const std::string own = one.attempt.trial.text(*one.def, kPluginFile);
      const bool is_own =
          one.attempt.workload == word || std::filesystem::path(own).filename() == file.filename();
      if (is_own) return FoundPlugin{own, "", declaration_of(*one.def)};
    }
    return Error{ErrorCode::kNotFound,
                 fmt::format("`{}` is a plugin of which no attempt is left", word)};
  };
  return plugins;
}

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

Result<FoundSweep> sweep_of(const Submission& submission, const Catalog& catalog,
                            const std::vector<FoundAttempt>& attempts) {
  std::vector<std::string> set = submission.set;
  const auto overrides = parse_overrides(set, submission.set_where_it_fits);
  if (!overrides) return overrides.error();
  Parsed parsed =
      parse_sweeps(submission.text, submission.name, with_pools(catalog, pools_in(submission)),
                   *overrides, {}, {}, plugins_of(attempts));
  if (!parsed.errors.empty()) {
    return Error{ErrorCode::kInvalidArgument, parsed.errors.front().message};
  }
  const auto document = static_cast<std::size_t>(submission.document);
  if (document >= parsed.sweeps.size()) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("its text has {} sweeps, and it is number {}", parsed.sweeps.size(),
                             document + 1)};
  }
  Sweep sweep = std::move(parsed.sweeps[document]);
  if (sweep.program) sweep.program = stored_form(*sweep.program, catalog);
  WorkloadDef def = sweep.program ? *sweep.program : *catalog.find(sweep.workload);
  if (submission.version > 0) def.version = submission.version;
  set_origin(sweep, def, {submission.folder, submission.environment});
  FoundSweep found;
  NewSweep& request = found.request;
  for (ExpandedTrial& trial : expand_again(sweep, def, submission).trials) {
    request.trials.push_back({std::move(trial.key), std::move(trial.trial)});
  }
  fill_in_contents(def, submission, attempts, request.trials);
  request.id = submission.id;
  request.submitted = submission.submitted;
  request.sweep = std::move(sweep);
  found.def = std::make_shared<const WorkloadDef>(std::move(def));
  return found;
}

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
