// Whether attempts may start, for each pool, and what reopens a pool that closed: its pause is
// over, the results that the disk refused are stored, and its `runs` has room. Lives on the event
// loop.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <vector>

#include "runner/daemon/attempts/dispatcher_timing.h"
#include "runner/daemon/attempts/pool_folders.h"
#include "runner/daemon/attempts/pools.h"
#include "runner/daemon/attempts/start_backoff.h"

namespace sweepd {

class StartGates {
 public:
  struct Hooks {
    std::function<bool()> store_refused;           // stores refused results; false: there are none
    std::function<bool(PoolIndex)> nothing_waits;  // so no attempt could show the pool's trouble
    std::function<void()> opened;                  // attempts may start again
    std::function<void()> changed;                 // the trouble is another one
  };

  StartGates(boost::asio::io_context& io, const Pools& pools, PoolFolders& folders,
             const DispatcherTiming& timing, Hooks hooks);

  StartBackoff& at(PoolIndex pool) { return *gates_[pool]; }
  const StartBackoff& at(PoolIndex pool) const { return *gates_[pool]; }
  void close_all_for(Duration pause);
  void resume_all();
  void end_all_trouble();

 private:
  void resume(PoolIndex pool);
  void open(PoolIndex pool);

  const Pools& pools_;
  PoolFolders& folders_;
  Hooks hooks_;
  std::vector<std::unique_ptr<StartBackoff>> gates_;
};

}  // namespace sweepd
