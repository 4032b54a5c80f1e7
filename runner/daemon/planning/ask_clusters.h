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
#include "runner/model/sweep/sweep_plan.h"

namespace sweepd {

// The request of the examined trials of one kind to a cluster, and the answer.
struct ClusterAsk : PlannedAsk {
  PoolRequest request;
};

// After this time no further kind is asked about: the plan must not wait for a controller that
// takes seconds for each answer.
constexpr Duration kAskingTakesAtMost = seconds(10);

// Fills in the answers, each kind by a call of its pool's inspector, one after the other. Kinds
// without a question are marked. Returns the kinds that the pools can never run, and why. Blocks.
std::vector<std::string> ask_clusters(const Pools& pools, std::vector<ClusterAsk>& asks,
                                      const std::function<Instant()>& now = now_instant);

}  // namespace sweepd
