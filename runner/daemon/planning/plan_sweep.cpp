#include "runner/daemon/planning/plan_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <unordered_map>

#include "runner/base/text.h"
#include "runner/daemon/attempts/item_of.h"
#include "runner/daemon/planning/ask_clusters.h"
#include "runner/model/sweep/trial.h"
#include "runner/sched/resources.h"

namespace sweepd {
namespace {

constexpr std::size_t kMaxValues = 50;  // of an axis
constexpr std::size_t kMaxTooLarge = 5;

PlannedAxis count_values(const PreparedSweep& prepared, std::size_t param) {
  const ParamDef& def = prepared.def->params[param];
  PlannedAxis axis{def.name, {}, 0};
  std::unordered_map<Value, std::size_t> seen;
  for (const ExpandedTrial& trial : prepared.expansion.trials) {
    const Value& value = trial.trial.values[param];
    const auto [entry, added] = seen.try_emplace(value, axis.values.size());
    if (added) axis.values.push_back({def.text(value), 0});
    ++axis.values[entry->second].trials;
  }
  axis.distinct = std::ssize(axis.values);
  if (axis.values.size() > kMaxValues) axis.values.resize(kMaxValues);
  return axis;
}

std::string rule_text(const WorkloadDef& def, const ExcludeRule& rule) {
  std::vector<std::string> parts;
  for (const Axis& key : rule.keys) {
    std::vector<std::string> values;
    for (const Value& value : key.values) values.push_back(def.params[key.param].text(value));
    parts.push_back(def.params[key.param].name + "=" + join(values, ","));
  }
  return join(parts, " ");
}

// 0: unknown, as that of a cluster's nodes.
std::int64_t memory_of(const Machine& machine, const WorkloadDef& def, const Trial& trial) {
  std::int64_t device = machine.memory.value;
  if (trial.text(def, "device") == "cuda") {
    device = 0;
    for (const Gpu& gpu : machine.gpus) device = std::max(device, gpu.memory.value);
  }
  const std::int64_t limit = trial.integer(def, "memory_limit");
  if (limit == 0) return device;
  return device == 0 ? limit : std::min(limit, device);
}

std::string state_of(const TrialStanding& standing) {
  const std::int64_t to_run = standing.all_to_run();
  const std::int64_t others = standing.reused + standing.queued + standing.running;
  if (to_run > 0 && others > 0) return "partly";
  if (to_run > 0) return standing.last || standing.changes.attempts > 0 ? "again" : "new";
  if (standing.running > 0) return "running";
  if (standing.queued > 0) return "queued";
  return standing.skipped > 0 ? "left out" : "reused";
}

// Returns how many such trials run in parallel. Timings on GPUs do, one per GPU; on the CPU nothing
// else runs.
double beside(const Pool& pool, const WorkloadDef& def, const Trial& trial) {
  if (pool.cluster) return static_cast<double>(pool.cluster->most_given);
  const Machine& machine = pool.machine;
  if (trial.text(def, "device") != "cuda") return 1;
  const auto each = static_cast<std::size_t>(trial.integer(def, "world_size"));
  return static_cast<double>(std::max<std::size_t>(1, machine.gpus.size() / each));
}

class Planner {
 public:
  Planner(const PlanContext& context, const PreparedSweep& prepared)
      : context_(context),
        prepared_(prepared),
        def_(*prepared.def),
        axes_(axes_of(prepared.sweep)) {}

  Result<SweepPlan> plan(std::int64_t rows) {
    describe();
    const auto standing = standing_of(0, trials().size());
    if (!standing) return standing.error();
    for (const TrialStanding& one : *standing) count(one);
    const std::vector<std::size_t> picked =
        spread_over(trials().size(), context_.shared.most_looked_at);
    std::vector<TrialStanding> theirs;
    for (const std::size_t i : picked) theirs.push_back((*standing)[i]);
    if (const auto looked = look_at(picked, theirs); !looked) return looked.error();
    for (std::string& refusal : ask_clusters(context_.pools, asks_)) {
      plan_.refusals.push_back(std::move(refusal));
    }
    plan_.asks.assign(asks_.begin(), asks_.end());
    plan_.looked_at = std::ssize(examined_);
    for (const std::size_t k : spread_over(examined_.size(), static_cast<std::size_t>(rows))) {
      plan_.rows.push_back(examined_[k]);
    }
    finish_time();
    finish_memory();
    return std::move(plan_);
  }

  Result<std::vector<PlannedTrial>> page(std::size_t begin, std::size_t end) {
    const auto standing = standing_of(begin, end);
    if (!standing) return standing.error();
    std::vector<std::size_t> picked(end - begin);
    std::iota(picked.begin(), picked.end(), begin);
    if (const auto looked = look_at(picked, *standing); !looked) return looked.error();
    return std::move(examined_);
  }

 private:
  const std::vector<ExpandedTrial>& trials() const { return prepared_.expansion.trials; }

  void describe() {
    const Sweep& sweep = prepared_.sweep;
    plan_.name = sweep.name;
    plan_.description = sweep.description;
    plan_.workload = sweep.workload;
    for (const Pass pass : sweep.passes) plan_.passes.emplace_back(name_of(pass));
    plan_.warnings = warnings_of(prepared_);
    plan_.points = count_points(sweep);
    plan_.trials = static_cast<std::int64_t>(trials().size());
    plan_.duplicates = prepared_.expansion.duplicates;
    for (const std::size_t param : axes_) plan_.axes.push_back(count_values(prepared_, param));
    for (std::size_t i = 0; i < sweep.exclude.size(); ++i) {
      plan_.excluded.push_back({sweep.exclude[i].line, rule_text(def_, sweep.exclude[i]),
                                prepared_.expansion.excluded[i]});
    }
  }

  void count(const TrialStanding& standing) {
    plan_.to_run += standing.all_to_run();
    plan_.skipped += standing.skipped;
    if (plan_.skipped_because.empty()) plan_.skipped_because = standing.skipped_because;
    plan_.reused += standing.reused;
    plan_.queued += standing.queued;
    plan_.held += standing.held;
    plan_.running += standing.running;
    plan_.attempts += standing.all_to_run() + standing.skipped + standing.reused + standing.queued +
                      standing.running;
    if (standing.last) ++plan_.again[std::string(name_of(*standing.last))];
    plan_.changes.add(standing.changes);
  }

  Result<std::vector<TrialStanding>> standing_of(std::size_t begin, std::size_t end) {
    std::vector<WantedTrial> wanted;
    wanted.reserve(end - begin);
    for (std::size_t i = begin; i < end; ++i) {
      const ExpandedTrial& one = trials()[i];
      wanted.push_back({&one.key, one.trial.integer(def_, "repeats"), &one.trial, &one.base_key});
    }
    return context_.reader.standing(def_, wanted, prepared_.sweep.passes, context_.host.id,
                                    context_.machines);
  }

  // `standing` is that of the picked trials.
  Result<void> look_at(const std::vector<std::size_t>& picked,
                       const std::vector<TrialStanding>& standing) {
    ask_for_work(context_, prepared_, picked);
    plan_.work_error = context_.shared.work_error;
    std::vector<Resources> resources;
    for (const PoolUse& use : context_.pools) resources.emplace_back(use.pool);
    std::set<PoolIndex> estimated_in;
    for (std::size_t k = 0; k < picked.size(); ++k) {
      const std::size_t i = picked[k];
      const PoolIndex in = pool_of(context_.pools, def_, trials()[i].trial).value_or(0);
      const Pool& pool = context_.pools.at(in).pool;
      const auto found = estimator_of(context_, def_, pool.name);
      if (!found) return found.error();
      const Estimator& estimator = **found;
      if (estimated_in.insert(in).second) {
        plan_.time.past_results += static_cast<std::int64_t>(estimator.results());
      }
      const auto& work = context_.shared.works.at(trials()[i].key);
      PlannedTrial trial;
      trial.state = state_of(standing[k]);
      trial.to_run = standing[k].all_to_run();
      if (standing[k].last) trial.last = name_of(*standing[k].last);
      for (const std::size_t param : axes_) {
        trial.values.push_back(def_.params[param].text(trials()[i].trial.values[param]));
      }
      const double resident = work ? resident_bytes(*work) : 0;
      note_memory(resident, Bytes{memory_of(pool.machine, def_, trials()[i].trial)}, trial);
      estimate(estimator, pool, trials()[i], work, standing[k].to_run, trial);
      refuse(resources[in], trials()[i].trial);
      if (pool.cluster && trial.to_run > 0) count_ask(pool, trials()[i].trial);
      examined_.push_back(std::move(trial));
    }
    return {};
  }

  // `resident` 0 and `memory` 0: unknown.
  void note_memory(double resident, Bytes memory, PlannedTrial& trial) {
    if (resident <= 0) return;
    trial.resident = Bytes{static_cast<std::int64_t>(resident)};
    trial.fits = memory.value == 0 || resident <= static_cast<double>(memory.value);
    const SizedTrial sized{trial.values, *trial.resident, memory};
    if (!plan_.memory) plan_.memory = {sized, 0, {}};
    PlannedMemory& all = *plan_.memory;
    if (sized.resident.value > all.largest.resident.value) all.largest = sized;
    if (trial.fits) return;
    ++all.too_large;
    all.examples.push_back(sized);
  }

  // The largest of those that do not fit.
  void finish_memory() {
    if (!plan_.memory) return;
    std::vector<SizedTrial>& examples = plan_.memory->examples;
    std::ranges::stable_sort(examples, [](const SizedTrial& a, const SizedTrial& b) {
      return a.resident.value > b.resident.value;
    });
    if (examples.size() > kMaxTooLarge) examples.resize(kMaxTooLarge);
  }

  // `to_run`: attempts by Pass.
  void estimate(const Estimator& estimator, const Pool& pool, const ExpandedTrial& trial,
                const std::optional<WorkPerStep>& work, const std::array<std::int64_t, 3>& to_run,
                PlannedTrial& out) {
    double sum_ns = 0;
    bool known = true;
    for (const Pass pass : prepared_.sweep.passes) {
      const std::int64_t attempts = to_run[static_cast<std::size_t>(pass)];
      if (attempts == 0) continue;
      looked_at_to_run_ += attempts;
      const auto one = estimator.of(trial.key, trial.trial, pass, work);
      if (!def_.analytic) note_timeout(trial.trial, pass, attempts, one, out);
      if (!one) {
        known = false;
        plan_.time.unknown += attempts;
        continue;
      }
      const bool same = one->basis == Estimate::Basis::kSameTrial;
      (same ? plan_.time.from_same : plan_.time.from_nearest) += attempts;
      plan_.time.farthest_ratio =
          std::max({plan_.time.farthest_ratio, one->ratio, one->ratio > 0 ? 1 / one->ratio : 1});
      // Nothing runs longer than its timeout; 0 means none.
      const std::int64_t timeout_ns = trial.trial.integer(def_, "timeout");
      const std::int64_t one_ns =
          timeout_ns > 0 ? std::min(one->time.ns, timeout_ns) : one->time.ns;
      const double ns = static_cast<double>(one_ns) * static_cast<double>(attempts);
      sum_ns += ns;
      total_ns_ += ns / beside(pool, def_, trial.trial);
    }
    if (known && out.to_run > 0) out.time = Duration{static_cast<std::int64_t>(sum_ns)};
  }

  void note_timeout(const Trial& trial, Pass pass, std::int64_t attempts,
                    const std::optional<Estimate>& estimate, PlannedTrial& out) {
    const Duration timeout{trial.integer(def_, "timeout")};
    if (timeout.ns == 0) return;  // never
    const Duration least = pass == Pass::kTiming ? least_measuring(def_, trial) : Duration{0};
    const Duration expected = std::max(estimate ? estimate->time : Duration{0}, least);
    // An attempt that must measure for the whole timeout also needs time to start.
    if (expected <= timeout && least < timeout) return;
    out.times_out = true;
    if (!plan_.timeouts) plan_.timeouts.emplace();
    PlannedTimeouts& all = *plan_.timeouts;
    all.all_equal &= all.attempts == 0 || all.timeout == timeout;
    const auto multiple = [](Duration a, Duration b) { return a.seconds() / b.seconds(); };
    if (all.attempts == 0 || multiple(expected, timeout) > multiple(all.expected, all.timeout)) {
      all.values = out.values;
      all.expected = expected;
      all.timeout = timeout;
    }
    all.attempts += attempts;
  }

  // Trials that were not examined are assumed to take the mean of the others.
  void finish_time() {
    const std::int64_t estimated = plan_.time.from_same + plan_.time.from_nearest;
    if (plan_.to_run == 0) plan_.time.total = Duration{0};
    if (estimated == 0) return;
    const double scale = static_cast<double>(plan_.to_run) / static_cast<double>(looked_at_to_run_);
    plan_.time.total = Duration{static_cast<std::int64_t>(total_ns_ * scale)};
  }

  void refuse(const Resources& resources, const Trial& trial) {
    for (const Pass pass : prepared_.sweep.passes) {
      const std::string why = resources.refusal(item_of(def_, trial, pass));
      if (!why.empty() && refused_.insert(why).second) plan_.refusals.push_back(why);
    }
  }

  void count_ask(const Pool& pool, const Trial& trial) {
    const Item item = item_of(def_, trial, Pass::kTiming);
    const PoolRequest request{item.world_size, item.device == DeviceKind::kCuda, item.threads,
                              Duration{trial.integer(def_, "timeout")}};
    for (ClusterAsk& ask : asks_) {
      PoolRequest& known = ask.request;
      if (ask.pool != pool.name || known.world_size != request.world_size ||
          known.gpus != request.gpus || known.cores_per_rank != request.cores_per_rank) {
        continue;
      }
      ++ask.trials;
      const bool none = known.timeout.ns == 0 || request.timeout.ns == 0;
      known.timeout = none ? Duration{0} : std::max(known.timeout, request.timeout);  // the longest
      return;
    }
    asks_.push_back({{.pool = pool.name, .ranks = request.world_size, .trials = 1}, request});
  }

  // One question after the other, so that a controller never has two of them. It answers within
  // some hundredths of a second; a slow one is no longer asked after a while, and each kind without
  // an answer is marked.
  const PlanContext& context_;
  const PreparedSweep& prepared_;
  const WorkloadDef& def_;
  const std::vector<std::size_t> axes_;
  std::set<std::string> refused_;
  std::int64_t looked_at_to_run_ = 0;
  double total_ns_ = 0;
  std::vector<PlannedTrial> examined_;
  std::vector<ClusterAsk> asks_;
  SweepPlan plan_;
};

}  // namespace

Result<SweepPlan> plan_sweep(const PlanContext& context, const PreparedSweep& prepared,
                             std::int64_t rows) {
  return Planner(context, prepared).plan(rows);
}

Result<std::vector<PlannedTrial>> plan_trials(const PlanContext& context,
                                              const PreparedSweep& prepared, std::size_t begin,
                                              std::size_t end) {
  return Planner(context, prepared).page(begin, end);
}

}  // namespace sweepd
