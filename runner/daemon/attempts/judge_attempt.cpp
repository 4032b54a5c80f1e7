#include "runner/daemon/attempts/judge_attempt.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "db/store/store.h"
#include "runner/daemon/attempts/judge_clocks.h"
#include "runner/model/launch_verdict.h"
#include "runner/model/profile_verdict.h"
#include "runner/model/reported_warnings.h"

namespace sweepd {
namespace {

bool is_done_timing(const OpenAttempt& attempt, const AttemptRecord& record) {
  return attempt.pass == Pass::kTiming && outcome_of(record.ending) == Outcome::kDone &&
         record.work && record.environment && !record.environment->devices.empty();
}

// Traffic of this many bytes cannot come from the cache. A GPU's cache is smaller than its host's.
double beyond_cache(const AttemptRecord& record) {
  return 4 * static_cast<double>(record.environment->host.cache.value);
}

// Whether the step's work keeps the device busy for so long that neither a call's overhead nor a
// cache matters: products of 1,024 rows and columns on a CPU, of 4,096 elsewhere; copies of 16 MiB
// that cycle through four times the last-level cache, of 256 MiB elsewhere.
bool saturates(const AttemptRecord& record, const PhaseWork& step) {
  const bool cpu = record.environment->devices.front().kind == "cpu";
  if (record.work->ruler == Ruler::kArithmetic) {
    const double n = cpu ? 1024 : 4096;
    return step.flops >= 2 * n * n * n;
  }
  if (record.work->ruler == Ruler::kNone) return false;
  if (step.bytes < 2 * (cpu ? 16.0 : 256.0) * 0x1p20) return false;
  const auto& figures = record.work->figures;
  const auto buffers = std::find_if(figures.begin(), figures.end(), [](const Figure& figure) {
    return figure.name == "buffers_bytes";
  });
  return buffers != figures.end() && buffers->value >= (cpu ? beyond_cache(record) : 0);
}

bool on_one_device(const Environment& environment) {
  const DeviceInfo& first = environment.devices.front();
  return std::all_of(
      environment.devices.begin(), environment.devices.end(), [&](const DeviceInfo& device) {
        return device.kind == first.kind && device.uuid == first.uuid && device.name == first.name;
      });
}

// A rank without these facts was not profiled.
std::vector<ProfileChecks> profile_checks(const AttemptRecord& record) {
  std::vector<ProfileChecks> checks;
  for (const Fact& fact : record.facts) {
    if (!fact.number || !fact.name.starts_with("profile.")) continue;
    if (checks.empty() || checks.back().rank != fact.rank)
      checks.push_back({fact.rank, 0, 0, 0, 0});
    ProfileChecks& rank = checks.back();
    if (fact.name == "profile.dropped_records") rank.dropped_records = *fact.number;
    if (fact.name == "profile.step_ms") rank.step_ms = *fact.number;
    if (fact.name == "profile.kernel_ms") rank.kernel_ms = *fact.number;
    if (fact.name == "profile.differing_kernels") rank.differing_kernels = *fact.number;
  }
  return checks;
}

// Only a rank of a cluster reports where it ran: `17.3 on node2`, its step and its node.
std::optional<std::int64_t> ranks_beside_the_first(const AttemptRecord& record) {
  const auto first = std::ranges::find_if(
      record.facts, [](const Fact& fact) { return fact.rank == 0 && fact.name == "slurm.step"; });
  if (first == record.facts.end()) return std::nullopt;
  return std::ranges::count_if(record.facts, [&](const Fact& fact) {
    return fact.name == first->name && fact.text == first->text;
  });
}

}  // namespace

Judgement judge_attempt(Store& store, const OpenAttempt& attempt, const AttemptRecord& record,
                        std::int64_t world_size) {
  Judgement judgement = record.judgement;
  if (outcome_of(record.ending) == Outcome::kDone) {
    add_reasons(judgement, judge_reported_warnings(record.facts));
  }
  if (attempt.pass == Pass::kProfile && outcome_of(record.ending) == Outcome::kDone) {
    add_reasons(judgement, judge_profile(profile_checks(record), record.kernels, record.operators,
                                         record.work.value_or(WorkPerStep{})));
    if (record.environment) {
      add_reasons(judgement, judge_surroundings(*record.environment, world_size,
                                                ranks_beside_the_first(record)));
    }
  }
  if (!is_done_timing(attempt, record)) return judgement;
  add_reasons(judgement, judge_launch(record.summaries));
  add_reasons(judgement, judge_clocks(store, attempt, record));
  const Environment& environment = *record.environment;
  const auto peak =
      limit_of(environment.devices.front(), environment.host, record.work->arithmetic);
  add_reasons(judgement, judge(record.summaries, *record.work, environment, peak, world_size,
                               ranks_beside_the_first(record)));
  return judgement;
}

void record_measured_peak(Store& store, const OpenAttempt& attempt, const AttemptRecord& record) {
  if (!is_done_timing(attempt, record) || record.judgement.verdict != Verdict::kValid) return;
  if (!on_one_device(*record.environment)) return;
  // The largest rates of all phases.
  Rates ruler, seen;
  const bool of_memory = record.work->ruler == Ruler::kMemory;
  for (const Summary& summary : record.summaries) {
    if (summary.metric != "time") continue;
    // The faster of the two, so that a share of the peak is at most 1 with either.
    const double step_s = std::min(summary.stats.median, summary.stats.mean) * 1e-3;
    for (const PhaseWork& work : record.work->phases) {
      if (work.phase != summary.phase || !(step_s > 0)) continue;
      seen.flops_per_s = std::max(seen.flops_per_s, work.flops / step_s);
      // A smaller amount may have come from the cache instead of the memory.
      if (work.bytes >= beyond_cache(record)) {
        seen.bytes_per_s = std::max(seen.bytes_per_s, work.bytes / step_s);
      }
      if (work.phase == "step" && saturates(record, work)) {
        (of_memory ? ruler.bytes_per_s : ruler.flops_per_s) =
            (of_memory ? work.bytes : work.flops) / step_s;
      }
    }
  }
  const std::string arithmetic = of_memory ? "" : record.work->arithmetic;
  const auto stored =
      store.record_peak(record.environment->devices.front(), arithmetic, ruler, seen, attempt.row);
  if (!stored) spdlog::warn("cannot store a measured peak: {}", stored.error().message);
}

}  // namespace sweepd
