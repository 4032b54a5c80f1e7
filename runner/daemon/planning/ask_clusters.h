// Asks clusters about the kinds of trials in a plan: the resources they request, their estimated
// start, and those that can never run there.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runner/base/clock.h"
#include "runner/daemon/attempts/pools.h"
#include "runner/exec/pool_status.h"

namespace sweepd {

// The request of the examined trials of one kind to a cluster.
struct PlannedAsk {
  std::string pool;
  PoolRequest request;
  std::int64_t trials = 0;
  Result<PoolEstimate> estimate{PoolEstimate{}};
};

// After this time no further kind is asked about: the plan must not wait for a controller that
// takes seconds for each answer.
constexpr Duration kAskingTakesAtMost = seconds(10);

// Fills in the estimates, each kind by a call of its pool's inspector, one after the other. Kinds
// without a question are marked. Returns the kinds that the pools can never run, and why. Blocks.
std::vector<std::string> ask_clusters(const Pools& pools, std::vector<PlannedAsk>& asks,
                                      const std::function<Instant()>& now = now_instant);

}  // namespace sweepd
