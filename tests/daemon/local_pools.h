// Pools of which there is one, a machine.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "runner/daemon/attempts/pools.h"

namespace sweepd {

inline PoolUse local_use(Machine machine, Executor* executor = nullptr,
                         std::filesystem::path runs = {}) {
  PoolUse use{{std::string(kLocalPool), std::move(machine)}, executor, std::move(runs)};
  use.host_cores = static_cast<std::int64_t>(use.pool.machine.cores.size());
  return use;
}

inline Pools local_pools(Machine machine, Executor* executor = nullptr,
                         std::filesystem::path runs = {}) {
  std::vector<PoolUse> uses;
  uses.push_back(local_use(std::move(machine), executor, std::move(runs)));
  return Pools(std::move(uses));
}

}  // namespace sweepd
