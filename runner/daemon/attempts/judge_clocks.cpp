#include "runner/daemon/attempts/judge_clocks.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <string>

#include "runner/model/clock_verdict.h"

namespace sweepd {

Judgement judge_clocks(Store& store, const OpenAttempt& attempt, const AttemptRecord& record) {
  Judgement judgement;
  const Environment& environment = *record.environment;
  for (const DeviceState& state : environment.states) {
    const auto rank = static_cast<std::size_t>(state.rank);
    if (state.moment != "after" || !state.sm_clock_mhz || rank >= environment.devices.size()) {
      continue;
    }
    const auto earlier = store.clocks_before(attempt.row, environment.devices[rank]);
    if (!earlier) {
      spdlog::warn("cannot read earlier clocks: {}", earlier.error().message);
      return judgement;
    }
    const std::string who = state.rank > 0 ? fmt::format(" of rank {}", state.rank) : "";
    add_reasons(judgement, judge_clock(*state.sm_clock_mhz, *earlier, who));
  }
  return judgement;
}

}  // namespace sweepd
