// The events of the pools' executors. Those of a cluster wait while its attempts are being adopted,
// since they may be about attempts that are not known yet. Lives on the event loop.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cstddef>
#include <functional>
#include <map>
#include <vector>

#include "runner/daemon/attempts/pools.h"
#include "runner/exec/executor.h"

namespace sweepd {

class ExecutorEvents {
 public:
  // Calls `handle` with the events as they come, and `handled` after that.
  ExecutorEvents(boost::asio::io_context& io, const Pools& pools,
                 std::function<void(const std::vector<ExecutorEvent>&)> handle,
                 std::function<void()> handled);

  // Handles those that have come, without waiting.
  void take(PoolIndex pool);
  void take_all();
  // An attempt of the pool is being adopted.
  void begin_adoption(PoolIndex pool) { ++adopting_[pool].attempts; }
  // It is known now.
  void end_adoption(PoolIndex pool);

 private:
  void wait(PoolIndex pool);

  const Pools& pools_;
  std::function<void(const std::vector<ExecutorEvent>&)> handle_;
  std::function<void()> handled_;
  std::vector<boost::asio::posix::stream_descriptor> ready_;  // by pool
  struct Adopting {
    std::size_t attempts = 0;
    std::vector<ExecutorEvent> events;
  };
  std::map<PoolIndex, Adopting> adopting_;
};

}  // namespace sweepd
