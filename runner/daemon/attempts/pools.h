// The pools of this daemon and their executors. `local` is always the first.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runner/exec/executor.h"
#include "runner/model/attempt/open_attempt.h"
#include "runner/model/machine/machine_id.h"
#include "runner/model/vocabulary/catalog.h"
#include "runner/sched/scheduler.h"

namespace sweepd {

struct PoolUse {
  Pool pool;                    // for the scheduler
  Executor* executor;           // outlives all users of this
  std::filesystem::path runs;   // of the attempts' folders
  std::int64_t host_cores = 0;  // as in AttemptRequest
  // The machine on which its attempts run now; unknown for a cluster, whose nodes only their
  // attempts report.
  std::function<MachineIds()> machines = [] { return MachineIds{}; };

  bool is_cluster() const { return pool.cluster.has_value(); }
};

class Pools {
 public:
  explicit Pools(std::vector<PoolUse> uses) : uses_(std::move(uses)) {}

  std::size_t size() const { return uses_.size(); }
  const PoolUse& at(PoolIndex pool) const { return uses_.at(pool); }
  std::vector<PoolUse>::const_iterator begin() const { return uses_.begin(); }
  std::vector<PoolUse>::const_iterator end() const { return uses_.end(); }

  std::optional<PoolIndex> find(const std::string& name) const;
  std::vector<std::string> names() const;
  std::vector<Pool> for_scheduler() const;
  // The kind of device that `auto` is in a pool: "cuda" if it has GPUs. "cpu" in an unknown one.
  std::string_view device_in(std::string_view pool) const;

 private:
  std::vector<PoolUse> uses_;
};

// An attempt's pool, by index. Analytic workloads need no machine: `local`. Empty: this daemon's
// configuration has no such pool.
std::optional<PoolIndex> pool_of(const Pools& pools, const WorkloadDef& def, const Trial& trial);

// The same of an attempt that was accepted: `AttemptQueue` refuses those of unknown pools.
PoolIndex pool_of(const Pools& pools, const Catalog& catalog, const OpenAttempt& attempt);

// Why an attempt in an unknown pool ends `skipped`.
std::string unknown_pool(const Pools& pools, const std::string& name);

}  // namespace sweepd
