// Decides which attempts run, on which cores and GPUs, and when one must be stopped. Pure: no
// clock, no I/O, no threads. Every call is given the time it needs, and `step` returns actions. The
// daemon carries them out and reports back; tests use plain numbers.
//
// Pools. Each attempt runs in one pool of resources, such as this machine, and never waits for
// another pool. The rules below hold in each pool separately; "host" is the pool's.
//
// Order: larger priority first, then smaller position. A call costs O(log n) in the number of
// queued attempts, plus the size of the machine for each attempt that starts.
//
// Leases. A timing attempt is exclusive: on the CPU it has the whole host (nothing else runs, not
// even on a GPU), on GPUs it has its GPUs and cores to itself. Other passes share the
// host with attempts other than a CPU timing: on the CPU one at a time, or several on disjoint
// cores if `threads` says how many each needs; on GPUs they have their GPUs to themselves as
// timings do. No two attempts ever share a core or a GPU. A gang (world_size > 1) gets all its
// ranks at once. Sizes of leases: resources.h.
//
// Clusters. The cluster's manager decides on nodes, neighbours and start times. Its
// attempts are given to it in the order of the queue, `most_given` at a time; a lease has an entry
// for each rank, without cores. An attempt may wait there for long, so it has no deadline until
// `adopt` gives its start.
//
// Fairness. Attempts wait in two lanes, CPU and GPU, and only the first of a lane may start. There
// is no backfill, so small attempts never starve a large gang. The lane whose first attempt comes
// first in the order is asked first. The other lane may continue only while that
// attempt waits for GPUs. While it waits for resources of both lanes (cores, memory, the whole
// host) nothing else starts: the machine empties until it fits. So every attempt starts once those
// before it in the order, and those running, have ended.
//
// Paused devices. Running attempts there finish, and no new ones start there. An attempt that needs
// more GPUs than are left does not block others until they are resumed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "runner/base/clock.h"
#include "runner/model/machine/lease.h"
#include "runner/model/vocabulary/pool_name.h"

namespace sweepd {

using ItemId = std::int64_t;  // the attempt's row in the database

enum class DeviceKind { kCpu, kCuda };
enum class Sharing { kExclusive, kShared };

// A pool whose cores and GPUs a cluster's manager assigns: a partition of a Slurm cluster.
struct Cluster {
  std::int64_t gpus_per_node = 0;
  // Attempts that are given to it at the same time, running or not: enough that it never waits for
  // the next one, and few enough that most of the queue keeps its order here.
  std::int64_t most_given = 1;
};

// Resources of one machine, or a cluster, by the name that messages use.
struct Pool {
  std::string name;
  Machine machine;
  std::optional<Cluster> cluster = {};  // has no machine then
};
using PoolIndex = std::size_t;
inline std::vector<Pool> local_pool(Machine machine) {
  std::vector<Pool> pools;
  pools.push_back({std::string(kLocalPool), std::move(machine)});
  return pools;
}

struct Item {
  ItemId id = 0;
  PoolIndex pool = 0;
  std::int64_t priority = 0;
  std::int64_t position = 0;  // unique; smaller first within a priority
  DeviceKind device = DeviceKind::kCpu;
  Sharing sharing = Sharing::kExclusive;
  int world_size = 1;
  int threads = 0;      // cores of one rank; 0: its share of all
  Bytes memory{0};      // host memory to set aside, all ranks together; 0: unknown
  Duration timeout{0};  // 0: none
};

// The parts of one pool where nothing new starts.
struct PausedDevices {
  bool cpu = false;                 // for attempts on the CPU; those on GPUs still get cores
  std::set<std::string> gpus = {};  // uuids
};

enum class StopReason { kTimeout, kCancelled };

struct StartAction {
  ItemId item;
  PoolIndex pool;
  Lease lease;
};
// Ask the processes to end (SIGTERM).
struct StopAction {
  ItemId item;
  StopReason reason;
};
// They did not end within the grace period: SIGKILL.
struct KillAction {
  ItemId item;
  StopReason reason;
};
// Its pool can never run it. It ends `skipped` with the reason.
struct RefuseAction {
  ItemId item;
  std::string reason;
};
using Action = std::variant<StartAction, StopAction, KillAction, RefuseAction>;

class Scheduler {
 public:
  // There must be a pool. `Item::pool` counts in this order.
  explicit Scheduler(std::vector<Pool> pools, Duration grace = seconds(2));
  explicit Scheduler(Machine machine, Duration grace = seconds(2))  // has the local pool only
      : Scheduler(local_pool(std::move(machine)), grace) {}
  ~Scheduler();

  // `id` and `position` must be new. Call `step` after `add`, `cancel` and `finished`.
  void add(Item item);
  // Adds an attempt that is already running (adopted after a restart), with its lease as it is.
  // Without a time it was given to a cluster and has not started.
  void adopt(Item item, Lease lease, std::optional<Instant> started);
  // A queued attempt is removed: returns true, and no action follows. A running one: returns true,
  // and the next step gives a StopAction. Unknown or already stopping: returns false.
  bool cancel(ItemId item);
  bool is_queued(ItemId item) const;
  // All its processes have ended, for any reason, which frees its lease. Ignores unknown
  // items.
  void finished(ItemId item);
  // Replaces the pool's pauses.
  void pause(PoolIndex pool, PausedDevices devices);
  // From now on nothing new starts. Running attempts continue and are still stopped at their
  // deadlines.
  void drain();

  // Returns the actions for now, in this order: kills and stops, refusals, starts. An attempt is
  // stopped once and killed once; no action is repeated.
  std::vector<Action> step(Instant now);
  // When `step` must be called again even if nothing happens; empty if there is no deadline.
  std::optional<Instant> next_deadline() const;

  std::size_t queued() const;
  std::size_t queued(PoolIndex pool) const;
  std::size_t running() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sweepd
