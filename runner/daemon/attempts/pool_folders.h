// The folders of the pools' attempts, by pool: that of this machine, and those that clusters share.
#pragma once

#include <memory>
#include <vector>

#include "runner/daemon/attempts/pools.h"
#include "runner/daemon/threads/pool_folder.h"

namespace sweepd {

using PoolFolders = std::vector<std::unique_ptr<PoolFolder>>;

inline PoolFolders make_pool_folders(boost::asio::io_context& io, SideThread& reader,
                                     const Pools& pools) {
  PoolFolders folders;
  for (const PoolUse& use : pools) {
    folders.push_back(use.is_cluster() ? std::make_unique<PoolFolder>(io)
                                       : std::make_unique<PoolFolder>(reader));
  }
  return folders;
}

}  // namespace sweepd
