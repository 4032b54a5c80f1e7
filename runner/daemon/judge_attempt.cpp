#include "runner/daemon/judge_attempt.h"

#include <spdlog/spdlog.h>

namespace sweepd {
namespace {

bool is_done_timing(const OpenAttempt& attempt, const AttemptRecord& record) {
  return attempt.pass == Pass::kTiming && outcome_of(record.ending) == Outcome::kDone &&
         record.work && record.environment && !record.environment->devices.empty();
}

std::optional<Peak> peak_of(Store& store, const DeviceInfo& device, const std::string& arithmetic) {
  if (auto known = datasheet_peak(device.name, arithmetic)) return known;
  auto measured = store.measured_peak(device, arithmetic);
  return measured ? *measured : std::nullopt;
}

}  // namespace

Judgement judge_attempt(Store& store, const OpenAttempt& attempt, const AttemptRecord& record,
                        std::int64_t world_size) {
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
