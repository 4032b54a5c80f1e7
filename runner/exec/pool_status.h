// The state of a pool for users: its nodes, its waiting attempts and their reasons, and estimated
// start times. The executor of a pool with a manager, such as a Slurm cluster, implements
// `PoolInspector` (Executor::inspector); the daemon shows its answers in `devices`, `plan`, `show`
// and `status`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runner/base/clock.h"
#include "runner/base/ids.h"
#include "runner/base/result.h"
#include "runner/model/machine/pool_status.h"

namespace sweepd {

// Of an attempt that was given to the pool: its present or future allocation.
struct AttemptPlace {
  PoolAllocation allocation;  // empty id: none was asked for yet
  std::string nodes;          // on which it runs; "" while it waits
};

// The resources that an attempt requests from a pool.
struct PoolRequest {
  std::int64_t world_size = 1;
  bool gpus = false;                // each rank needs one
  std::int64_t cores_per_rank = 0;  // 0: its share of a node
  Duration timeout{0};              // 0: none
};

struct PoolEstimate {
  std::string asks;   // "2 nodes x 8 GPUs for 4h in partition gpu": one allocation for it
  std::string never;  // why the pool can never run it, in the manager's words; "": it can
  std::optional<WallTime> starts = {};  // when the queue would begin it; empty: unknown
};

class PoolInspector {
 public:
  virtual ~PoolInspector() = default;

  // These two ask the manager and may take seconds. From any thread, several at a time.
  virtual Result<PoolStatus> status() = 0;  // nodes and allocations
  virtual Result<PoolEstimate> estimate(const PoolRequest& request) = 0;

  // The latest known state; these never wait. On the loop's thread, as the executor's own calls.
  // Nothing for an attempt that the executor does not have.
  virtual std::optional<AttemptPlace> place_of(const AttemptId& attempt) const = 0;
  // Why this pool is stuck, as a sentence ("the controller of pool `h200` does not
  // answer since 14:02:11"); "" if all is well.
  virtual std::string trouble() const = 0;
  // The start of the wait for the pool's shared folder; empty: it does not wait.
  virtual std::optional<Instant> waits_for_folder_since() const { return std::nullopt; }
};

}  // namespace sweepd
