#include "runner/daemon/serving/services.h"

namespace sweepd {

Result<AttemptFolder> ReadServices::folder_of(const std::string& pool,
                                              const AttemptId& attempt) const {
  for (const PoolConfig& cluster : clusters) {
    if (cluster.is_cluster() && cluster.name == pool)
      return AttemptFolder::of(cluster.runs, attempt);
  }
  return AttemptFolder::of(state.runs(), attempt);
}

boost::asio::awaitable<void> ReadServices::at_files(const std::string& pool,
                                                    const std::function<void()>& job) const {
  const bool shared = pool != kLocalPool && folder_of_pool;
  if (PoolFolder* files = shared ? folder_of_pool(pool) : nullptr) {
    co_await files->read(job);
    co_return;
  }
  const auto work = [&job] {
    job();
    return true;
  };
  co_await readers.compute(work);
}

}  // namespace sweepd
