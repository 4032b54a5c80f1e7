#include "runner/daemon/attempts/pools.h"

#include <fmt/format.h>

#include "runner/base/text.h"

namespace sweepd {

std::optional<PoolIndex> Pools::find(const std::string& name) const {
  for (PoolIndex i = 0; i < uses_.size(); ++i) {
    if (uses_[i].pool.name == name) return i;
  }
  return std::nullopt;
}

std::vector<std::string> Pools::names() const {
  std::vector<std::string> names;
  for (const PoolUse& use : uses_) names.push_back(use.pool.name);
  return names;
}

std::vector<Pool> Pools::for_scheduler() const {
  std::vector<Pool> pools;
  for (const PoolUse& use : uses_) pools.push_back(use.pool);
  return pools;
}

std::string_view Pools::device_in(std::string_view pool) const {
  const auto index = find(std::string(pool));
  if (!index) return "cpu";
  const Pool& found = uses_[*index].pool;
  const bool has_gpus =
      found.cluster ? found.cluster->gpus_per_node > 0 : !found.machine.gpus.empty();
  return has_gpus ? "cuda" : "cpu";
}

std::optional<PoolIndex> pool_of(const Pools& pools, const WorkloadDef& def, const Trial& trial) {
  return def.analytic ? pools.find(std::string(kLocalPool)) : pools.find(pool_of(def, trial));
}

PoolIndex pool_of(const Pools& pools, const Catalog& catalog, const OpenAttempt& attempt) {
  return pool_of(pools, *catalog.find(attempt.workload), attempt.trial).value_or(0);
}

std::string unknown_pool(const Pools& pools, const std::string& name) {
  return fmt::format(
      "the configuration has no pool `{}` (it has {}); add it (schemas/config.md), restart the "
      "daemon, then retry",
      name, join(pools.names(), ", "));
}

}  // namespace sweepd
