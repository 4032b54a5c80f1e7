// Makes the pools of a configuration, each with its executor.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "runner/base/host.h"
#include "runner/daemon/attempts/pools.h"
#include "runner/exec/exit_status.h"
#include "runner/model/vocabulary/catalog.h"
#include "runner/sweepfile/config/config.h"

namespace sweepd {

using PoolExecutors = std::vector<std::unique_ptr<Executor>>;  // as Config::pools

// Distinguishes daemons that share a folder of attempts. Constant across restarts.
std::string owner_of(const std::filesystem::path& state, const HostInfo& host);

// Asks the light worker beside `worker` which workloads it has, if there is one and a pool that
// uses it.
PoolExecutors make_executors(const Config& config, const Catalog& catalog,
                             const std::filesystem::path& worker, Prefork prefork,
                             const std::string& owner);

// `local` is the first of them.
Pools make_pools(const Config& config, const PoolExecutors& executors, PoolUse local);

}  // namespace sweepd
