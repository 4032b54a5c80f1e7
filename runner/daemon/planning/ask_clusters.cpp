#include "runner/daemon/planning/ask_clusters.h"

#include <fmt/format.h>

#include "runner/base/text.h"

namespace sweepd {

std::vector<std::string> ask_clusters(const Pools& pools, std::vector<PlannedAsk>& asks,
                                      const std::function<Instant()>& now) {
  std::vector<std::string> refusals;
  const Instant until = now() + kAskingTakesAtMost;
  for (PlannedAsk& ask : asks) {
    if (now() >= until) {
      ask.estimate =
          Error{ErrorCode::kUnavailable, "not asked, since the answers before took longer than " +
                                             to_text(kAskingTakesAtMost)};
      continue;
    }
    PoolInspector* inspector = pools.at(pools.find(ask.pool).value()).executor->inspector();
    if (inspector == nullptr) continue;
    ask.estimate = inspector->estimate(ask.request);
    if (!ask.estimate || ask.estimate->never.empty()) continue;
    refusals.push_back(fmt::format("pool `{}`, world_size {}: {}", ask.pool, ask.request.world_size,
                                   ask.estimate->never));
  }
  return refusals;
}

}  // namespace sweepd
