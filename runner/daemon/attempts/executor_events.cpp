#include "runner/daemon/attempts/executor_events.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace sweepd {

ExecutorEvents::ExecutorEvents(boost::asio::io_context& io, const Pools& pools,
                               std::function<void(const std::vector<ExecutorEvent>&)> handle,
                               std::function<void()> handled)
    : pools_(pools), handle_(std::move(handle)), handled_(std::move(handled)) {
  for (const PoolUse& use : pools_) ready_.emplace_back(io, ::dup(use.executor->descriptor()));
  for (PoolIndex pool = 0; pool < pools_.size(); ++pool) wait(pool);
}

void ExecutorEvents::wait(PoolIndex pool) {
  ready_[pool].async_wait(boost::asio::posix::stream_descriptor::wait_read,
                          [this, pool](const boost::system::error_code& error) {
                            if (error) return;
                            take(pool);
                            handled_();
                            wait(pool);
                          });
}

void ExecutorEvents::take(PoolIndex pool) {
  std::vector<ExecutorEvent> events = pools_.at(pool).executor->events();
  const auto adopting = adopting_.find(pool);
  if (adopting == adopting_.end()) return handle_(events);
  std::ranges::move(events, std::back_inserter(adopting->second.events));
}

void ExecutorEvents::take_all() {
  for (PoolIndex pool = 0; pool < pools_.size(); ++pool) take(pool);
}

void ExecutorEvents::end_adoption(PoolIndex pool) {
  Adopting& adopting = adopting_.at(pool);
  if (--adopting.attempts > 0) return;
  const std::vector<ExecutorEvent> events = std::move(adopting.events);
  adopting_.erase(pool);
  handle_(events);
  take(pool);
}

}  // namespace sweepd
