#include "runner/daemon/make_pools.h"

#include <algorithm>
#include <utility>

#include "runner/base/hash.h"
#include "runner/daemon/light_worker.h"
#include "runner/exec/local_executor.h"
#include "runner/exec/slurm/slurm_executor.h"

namespace sweepd {

std::string owner_of(const std::filesystem::path& state, const HostInfo& host) {
  return hash128(host.id + "|" + state.string()).substr(0, 12);
}

PoolExecutors make_executors(const Config& config, const Catalog& catalog,
                             const std::filesystem::path& worker, Prefork prefork,
                             const std::string& owner) {
  const bool forks_in_jobs =
      prefork == Prefork::kYes &&
      std::ranges::any_of(config.pools, [](const auto& pool) { return pool.slurm.has_value(); });
  const LightWorker light = forks_in_jobs ? find_light_worker(worker, catalog) : LightWorker();
  PoolExecutors executors;
  for (const PoolConfig& pool : config.pools) {
    if (pool.slurm) {
      executors.push_back(make_slurm_executor(
          {.pool = pool, .worker = worker, .light = light, .owner = owner, .prefork = prefork}));
    } else {
      executors.push_back(make_local_executor(worker, prefork));
    }
  }
  return executors;
}

Pools make_pools(const Config& config, const PoolExecutors& executors, PoolUse local) {
  std::vector<PoolUse> uses;
  uses.push_back(std::move(local));
  for (std::size_t i = 1; i < config.pools.size(); ++i) {
    const PoolConfig& pool = config.pools[i];
    PoolUse use{{pool.name, {}}, executors[i].get(), pool.runs};
    use.pool.cluster = Cluster{pool.slurm->gpus_per_node, pool.slurm->max_jobs};
    uses.push_back(std::move(use));
  }
  return Pools(std::move(uses));
}

}  // namespace sweepd
