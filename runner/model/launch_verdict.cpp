#include "runner/model/launch_verdict.h"

#include <fmt/format.h>

#include <cmath>

#include "runner/model/known_metric.h"

namespace sweepd {

Judgement judge_launch(std::span<const Summary> summaries) {
  Judgement judgement;
  for (const Summary& summary : summaries) {
    if (summary.metric != kExposedLaunch || !(summary.stats.mean > 0)) continue;
    const auto exposed = std::llround(summary.stats.mean * static_cast<double>(summary.stats.n));
    add_reason(judgement, Verdict::kSuspect,
               fmt::format("launch: ahead, but the device began {} of {} steps before the host had "
                           "issued all of the step, so their times may hold time of the host: the "
                           "step waits for the device, or takes too long to issue",
                           exposed, summary.stats.n));
  }
  return judgement;
}

}  // namespace sweepd
