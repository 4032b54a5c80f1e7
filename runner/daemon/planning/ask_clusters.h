// Asks clusters what becomes of the kinds of trials that a plan found: what they ask for, when the
// queue would begin them, and which can never run there.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runner/base/clock.h"
#include "runner/daemon/attempts/pools.h"
#include "runner/exec/pool_status.h"

namespace sweepd {

// What the looked-at trials of one kind ask a cluster for.
struct PlannedAsk {
  std::string pool;
  PoolRequest request;
  std::int64_t trials = 0;
  Result<PoolEstimate> estimate{PoolEstimate{}};
};

// Once this time has passed, no further kind is asked about: whoever waits for the plan wants it
// while a controller takes seconds for each answer.
constexpr Duration kAskingTakesAtMost = seconds(10);

// Fills in the estimates, each kind by a call of its pool's inspector, one after the other. Those
// that were not asked about say so. Returns what the pools can never run, and why. Blocks.
std::vector<std::string> ask_clusters(const Pools& pools, std::vector<PlannedAsk>& asks,
                                      const std::function<Instant()>& now = now_instant);

}  // namespace sweepd
