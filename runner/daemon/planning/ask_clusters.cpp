#include "runner/daemon/planning/ask_clusters.h"

#include <fmt/format.h>

#include "runner/base/text.h"

namespace sweepd {

std::vector<std::string> ask_clusters(const Pools& pools, std::vector<ClusterAsk>& asks,
                                      const std::function<Instant()>& now) {
  std::vector<std::string> refusals;
  const Instant until = now() + kAskingTakesAtMost;
  for (ClusterAsk& ask : asks) {
    if (now() >= until) {
      ask.problem =
          "not asked, since the answers before took longer than " + to_text(kAskingTakesAtMost);
      continue;
    }
    PoolInspector* inspector = pools.at(pools.find(ask.pool).value()).executor->inspector();
    if (inspector == nullptr) continue;
    const auto estimate = inspector->estimate(ask.request);
    if (!estimate) {
      ask.problem = estimate.error().message;
      continue;
    }
    ask.asks = estimate->asks;
    ask.starts = estimate->starts;
    if (estimate->never.empty()) continue;
    refusals.push_back(
        fmt::format("pool `{}`, world_size {}: {}", ask.pool, ask.ranks, estimate->never));
  }
  return refusals;
}

}  // namespace sweepd
