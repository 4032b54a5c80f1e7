#include "runner/daemon/serving/remove_attempts.h"

#include <functional>

namespace sweepd {

boost::asio::awaitable<RemovedFolders> remove_attempts(Services& services,
                                                       const std::vector<AttemptId>& attempts,
                                                       const std::filesystem::path& file) {
  RemovedFolders removed;
  const std::function<void()> remove = [&] {
    remove_folders(services.state.runs(), attempts, removed);
  };
  co_await services.compactor.run_between(remove);
  for (const PoolConfig& cluster : services.clusters) {
    if (!cluster.is_cluster()) continue;
    const std::function<void()> remove_there = [&] {
      remove_folders(cluster.runs, attempts, removed);
    };
    co_await services.at_files(cluster.name, remove_there);
  }
  end_deletion(removed, file);
  co_return removed;
}

}  // namespace sweepd
