#include "runner/daemon/make_pools.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "build_info.h"
#include "runner/base/hash.h"
#include "runner/base/worker_program.h"
#include "runner/daemon/formulas/ask_worker.h"
#include "runner/daemon/formulas/catalog_source.h"
#include "runner/exec/local_executor.h"
#include "runner/exec/slurm/slurm_executor.h"

namespace sweepd {

std::string owner_of(const std::filesystem::path& state, const HostInfo& host) {
  return hash128(host.id + "|" + state.string()).substr(0, 12);
}

namespace {

// Without the workloads whose code differs: a build may have renewed one worker and not the other.
LightWorker light_worker_beside(const std::filesystem::path& worker, const Catalog& catalog) {
  LightWorker light{light_worker_of(worker), {}};
  if (light.program.empty()) return light;
  const auto version = ask_worker(light.program, "--version", "", seconds(10));
  const auto own = describe_worker(light.program);
  if (!version || !own || version->find(kBuildCommit) == std::string::npos) {
    spdlog::warn("{} is of another build and is not used", light.program.string());
    return {};
  }
  for (const WorkloadDef& def : own->workloads) {
    const WorkloadDef* same = catalog.find(def.name);
    if (same != nullptr && same->code == def.code) light.workloads.insert(def.name);
  }
  return light;
}

}  // namespace

PoolExecutors make_executors(const Config& config, const Catalog& catalog,
                             const std::filesystem::path& worker, Prefork prefork,
                             const std::string& owner) {
  const bool slurm =
      std::ranges::any_of(config.pools, [](const auto& pool) { return pool.slurm.has_value(); });
  const LightWorker light = slurm ? light_worker_beside(worker, catalog) : LightWorker();
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
