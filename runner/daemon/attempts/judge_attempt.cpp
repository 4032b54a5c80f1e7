#include "runner/daemon/attempts/judge_attempt.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "db/store/store.h"
#include "runner/model/machine/peaks.h"
#include "runner/model/verdict/judge.h"

namespace sweepd {
namespace {

// Traffic of this many bytes cannot come from the cache. A GPU's cache is smaller than its host's.
double beyond_cache(const AttemptRecord& record) {
  return 4 * static_cast<double>(record.environment->host.cache.value);
}

// Whether the step's work is at least that of a ruler.
bool saturates(const AttemptRecord& record, const PhaseWork& step) {
  const Environment& environment = *record.environment;
  const RulerSize least =
      least_ruler(environment.devices.front().kind == "cpu", environment.host.cache);
  if (record.work->ruler == Ruler::kArithmetic) {
    const auto n = static_cast<double>(least.product_rows);
    return step.flops >= 2 * n * n * n;
  }
  if (record.work->ruler == Ruler::kNone) return false;
  if (step.bytes < 2 * static_cast<double>(least.copy.value)) return false;
  const auto& figures = record.work->figures;
  const auto buffers = std::find_if(figures.begin(), figures.end(), [](const Figure& figure) {
    return figure.name == "buffers_bytes";
  });
  return buffers != figures.end() && buffers->value >= static_cast<double>(least.buffers.value);
}

bool on_one_device(const Environment& environment) {
  const DeviceInfo& first = environment.devices.front();
  return std::all_of(
      environment.devices.begin(), environment.devices.end(), [&](const DeviceInfo& device) {
        return device.kind == first.kind && device.uuid == first.uuid && device.name == first.name;
      });
}

// The clocks of earlier results by rank, for rules::clocks. An error of the database only costs
// that judgement.
std::vector<std::vector<std::int64_t>> earlier_clocks(Store& store, const OpenAttempt& attempt,
                                                      const Environment& environment) {
  std::vector<std::vector<std::int64_t>> clocks(environment.devices.size());
  for (const DeviceState& state : environment.states) {
    const auto rank = static_cast<std::size_t>(state.rank);
    if (state.moment != "after" || !state.sm_clock_mhz || rank >= clocks.size()) continue;
    auto earlier = store.clocks_before(attempt.row, environment.devices[rank]);
    if (!earlier) {
      spdlog::warn("cannot read earlier clocks: {}", earlier.error().message);
      break;
    }
    clocks[rank] = std::move(*earlier);
  }
  return clocks;
}

}  // namespace

Judgement judge_attempt(Store& store, const OpenAttempt& attempt, const AttemptRecord& record,
                        std::int64_t world_size) {
  Evidence evidence{record, attempt.pass, world_size};
  std::vector<std::vector<std::int64_t>> clocks;
  if (is_complete_timing(evidence)) clocks = earlier_clocks(store, attempt, *record.environment);
  evidence.earlier_clocks = clocks;
  Judgement judgement = record.judgement;
  add_reasons(judgement, judge(JudgedAt::kStoring, evidence));
  return judgement;
}

void record_measured_peak(Store& store, const OpenAttempt& attempt, const AttemptRecord& record) {
  if (!is_complete_timing({record, attempt.pass}) || record.judgement.verdict != Verdict::kValid)
    return;
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
