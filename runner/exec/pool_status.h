// What a pool tells people about itself: what it has, what waits in it and why, and when it would
// begin something. The executor of a pool that somebody else manages, such as a Slurm cluster,
// implements `PoolInspector` (Executor::inspector); the daemon asks, and shows the answers in
// `devices`, `plan`, `show` and `status`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runner/base/clock.h"
#include "runner/base/ids.h"
#include "runner/base/result.h"
#include "runner/base/units.h"

namespace sweepd {

// Nodes that are alike and in the same state.
struct PoolNodes {
  std::string state;   // in the manager's word: "idle", "mixed", "down*"
  bool usable = true;  // attempts can run there, now or after others; false: down, drained
  std::int64_t count = 0;
  std::string names;        // "node[1-4]"
  std::int64_t cores = 0;   // of one node
  std::int64_t gpus = 0;    // of one node
  std::string gpu;          // their kind, such as "h200"; "" if unknown
  Bytes memory;             // of one node; 0 if unknown
  std::string reason = {};  // why it is not usable, if the manager says
};

struct PoolAllocation {
  std::string id;                       // the job's number
  std::string state;                    // "PENDING", "RUNNING"
  std::string nodes;                    // "" while it waits
  std::string reason;                   // why it waits: "Resources", "QOSMaxJobsPerUser"
  std::optional<WallTime> starts = {};  // expected, where the manager says
  std::optional<WallTime> ends = {};    // its time limit
};

struct PoolStatus {
  std::vector<PoolNodes> nodes;
  std::vector<PoolAllocation> allocations;  // those of this daemon
};

// Of an attempt that was given to the pool: where it runs, or in which allocation it will.
struct AttemptPlace {
  PoolAllocation allocation;  // empty id: none was asked for yet
  std::string nodes;          // on which it runs; "" while it waits
};

// What an attempt asks a pool for.
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
  virtual Result<PoolStatus> status() = 0;
  virtual Result<PoolEstimate> estimate(const PoolRequest& request) = 0;

  // What was heard last; these never wait. On the loop's thread, as the executor's own calls.
  // Nothing for an attempt that the executor does not have.
  virtual std::optional<AttemptPlace> place_of(const AttemptId& attempt) const = 0;
  // Why nothing in this pool goes on, as a sentence ("the controller of pool `h200` does not
  // answer since 14:02:11"); "" if all is well.
  virtual std::string trouble() const = 0;
  // Since when the folder that the pool shares has not answered the executor; empty: it waits for
  // no answer.
  virtual std::optional<Instant> waits_for_folder_since() const { return std::nullopt; }
};

}  // namespace sweepd
