// Spawns processes on its own thread. That takes a millisecond of processor time, but on a
// machine whose cores are all busy, as while a gang loads, it waits up to 200 ms for its turn.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "runner/exec/spawn.h"

namespace sweepd {

class Spawner {
 public:
  struct Done {
    std::uint64_t ticket;
    Result<Spawned> spawned;
  };

  Spawner();  // throws std::system_error if the process may open no more descriptors
  // Waits for the process that is being spawned, and spawns none of those after it.
  ~Spawner();
  Spawner(const Spawner&) = delete;
  Spawner& operator=(const Spawner&) = delete;

  // Spawns after earlier requests. `ticket` comes back with the result.
  void spawn(std::uint64_t ticket, SpawnRequest request);
  // Readable while `take` has something to return.
  int descriptor() const { return done_event_.get(); }
  std::vector<Done> take();

 private:
  struct Job {
    std::uint64_t ticket;
    SpawnRequest request;
  };

  void work();

  UniqueFd done_event_;
  std::mutex mutex_;  // guards the next three
  std::deque<Job> jobs_;
  std::vector<Done> done_;
  bool over_ = false;
  std::condition_variable changed_;
  std::thread thread_;  // started by the first job
};

}  // namespace sweepd
