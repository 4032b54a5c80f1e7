#include "runner/daemon/judge_attempt.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>

#include "runner/model/profile_verdict.h"

namespace sweepd {
namespace {

bool is_done_timing(const OpenAttempt& attempt, const AttemptRecord& record) {
  return attempt.pass == Pass::kTiming && outcome_of(record.ending) == Outcome::kDone &&
         record.work && record.environment && !record.environment->devices.empty();
}

std::optional<Peak> peak_of(Store& store, const DeviceInfo& device, const std::string& arithmetic) {
  if (auto known = datasheet_peak(device.name, arithmetic)) return known;
  auto measured = store.measured_peak(device, arithmetic);
  if (!measured || !*measured) return std::nullopt;
  // Only CPUs have measured peaks, and the only CPU whose attempts end here is this host's.
  (*measured)->cache_bytes = std::max(0.0, static_cast<double>(::sysconf(_SC_LEVEL3_CACHE_SIZE)));
  return *measured;
}

// A rank that told none of them was not profiled.
std::vector<ProfileChecks> profile_checks(const AttemptRecord& record) {
  std::vector<ProfileChecks> checks;
  for (const AttemptRecord::Fact& fact : record.facts) {
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

}  // namespace

Judgement judge_attempt(Store& store, const OpenAttempt& attempt, const AttemptRecord& record,
                        std::int64_t world_size) {
  if (attempt.pass == Pass::kProfile && outcome_of(record.ending) == Outcome::kDone) {
    return judge_profile(profile_checks(record), record.kernels, record.operators,
                         record.work.value_or(WorkPerStep{}));
  }
  if (!is_done_timing(attempt, record)) return {};
  const auto peak = peak_of(store, record.environment->devices.front(), record.work->arithmetic);
  return judge(record.summaries, *record.work, *record.environment, peak, world_size);
}

void record_measured_peak(Store& store, const OpenAttempt& attempt, const AttemptRecord& record) {
  if (!is_done_timing(attempt, record)) return;
  if (attempt.workload != "matmul" && attempt.workload != "memcpy") return;
  for (const Summary& summary : record.summaries) {
    if (summary.phase != "step" || summary.metric != "time" || summary.stats.median <= 0) continue;
    for (const PhaseWork& work : record.work->phases) {
      if (work.phase != "step") continue;
      const double step_s = summary.stats.median * 1e-3;
      const bool copies = attempt.workload == "memcpy";
      const auto stored = store.record_peak(
          record.environment->devices.front(), copies ? "" : record.work->arithmetic,
          copies ? 0 : work.flops / step_s, copies ? work.bytes / step_s : 0, attempt.row);
      if (!stored) spdlog::warn("cannot store a measured peak: {}", stored.error().message);
    }
  }
}

}  // namespace sweepd
