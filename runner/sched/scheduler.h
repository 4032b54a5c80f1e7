// Decides which attempts run, on which cores and GPUs, and when one must be stopped. Pure: no
// clock, no I/O, no threads; every call takes the time it needs, and `step` returns what to do. The
// daemon carries the actions out and reports back; tests drive it with plain numbers.
//
// Order: larger priority first, then smaller position. Costs are O(log n) a call in the number of
// queued attempts, plus the size of the machine for each attempt that starts.
//
// Leases. A timing attempt is exclusive: on CPU it has the whole host (nothing else runs, not even
// on a GPU), on GPU its GPUs and cores that nobody else uses. Other passes share the host with
// attempts other than a CPU timing: on CPU one at a time, or several on disjoint cores where
// `threads` says how many each needs; on GPU they have their GPUs to themselves as timings do. No
// two attempts ever share a core or a GPU. A gang (world_size > 1) gets all its ranks at once.
// Sizes of leases: resources.h.
//
// Fairness. Attempts wait in two lanes, CPU and GPU, and only the first of a lane may start: no
// backfill, so a large gang is never starved by small ones. Between the lanes the first in the
// order is asked first, and the other lane may go on beside it only while it waits for GPUs. While
// it waits for what both lanes use (cores, memory, the whole host) nothing else starts: the machine
// empties until it fits. So every attempt starts once those before it in the order have ended and
// those running have too.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "runner/base/clock.h"
#include "runner/model/lease.h"

namespace sweepd {

using ItemId = std::int64_t;  // the attempt's row in the database

enum class DeviceKind { kCpu, kCuda };
enum class Sharing { kExclusive, kShared };

struct Item {
  ItemId id = 0;
  std::int64_t priority = 0;
  std::int64_t position = 0;  // unique; smaller first within a priority
  DeviceKind device = DeviceKind::kCpu;
  Sharing sharing = Sharing::kExclusive;
  int world_size = 1;
  int threads = 0;      // cores of one rank; 0: its share of all
  Bytes memory{0};      // host memory to set aside, all ranks together; 0: unknown
  Duration timeout{0};  // 0: none
};

enum class StopReason { kTimeout, kCancelled };

struct StartAction {
  ItemId item;
  Lease lease;
};
// Ask the processes to end (SIGTERM).
struct StopAction {
  ItemId item;
  StopReason reason;
};
// They did not within the grace period: SIGKILL.
struct KillAction {
  ItemId item;
  StopReason reason;
};
// This machine can never run it; ends `skipped` with the reason.
struct RefuseAction {
  ItemId item;
  std::string reason;
};
using Action = std::variant<StartAction, StopAction, KillAction, RefuseAction>;

class Scheduler {
 public:
  explicit Scheduler(Machine machine, Duration grace = seconds(2));
  ~Scheduler();

  // `id` and `position` must be new. A step must follow `add`, `cancel` and `finished`.
  void add(Item item);
  // Already running (adopted after a restart): its lease is taken as it is.
  void adopt(Item item, Lease lease, Instant started);
  // Queued: removed, returns true (no action follows). Running: true, and a StopAction follows at
  // the next step. Unknown or already stopping: false.
  bool cancel(ItemId item);
  bool is_queued(ItemId item) const;
  // All its processes are gone, whatever the reason: the lease is free again. Unknown: nothing.
  void finished(ItemId item);
  // Draining: nothing new starts, for good; what runs goes on and is still stopped at its deadline.
  void drain();

  // What to do now, in this order: kills and stops, refusals, starts. An attempt is stopped once
  // and killed once; an action is never repeated.
  std::vector<Action> step(Instant now);
  // When `step` must be called again even if nothing happens; empty when nothing is timed.
  std::optional<Instant> next_deadline() const;

  std::size_t queued() const;
  std::size_t running() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sweepd
