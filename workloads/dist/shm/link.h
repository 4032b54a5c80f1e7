// One rank's connection to the shared region: the barrier, and the data that ranks exchange at it.
//
// Barriers divide time into turns. Data that a rank writes for others in one turn (its call, its
// slot, its result) is read only in the next turn. So two copies of each, used alternately,
// and a single barrier between two turns order everything.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "workloads/dist/shm/region.h"

namespace sweepd::shm {

// How to access memory of other ranks that is outside the region.
enum class Reach {
  kBest,    // read and write it through the kernel if allowed, else as below
  kStaged,  // copy it through the region's slots
};

class Link {
 public:
  // Waits until all ranks have come, at most `timeout` (0: forever). Throws std::runtime_error that
  // names the ranks that did not come, also if another rank stopped waiting for them.
  Link(std::shared_ptr<Region> region, int rank, Reach reach, std::chrono::milliseconds timeout);
  ~Link();  // the others' waits for this rank end with an error
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  int rank() const { return rank_; }
  int world_size() const { return region_->world_size(); }
  Region& region() { return *region_; }
  std::uint64_t turn() const { return turn_; }
  bool reaches_private_memory() const { return reaches_private_memory_; }

  // The barrier: the next turn begins when every rank has entered it. Spins for a moment, then
  // sleeps. Throws std::runtime_error if a rank's process has ended or its Link is gone.
  void next_turn();

  // Publishes `mine` and, after the barrier, returns the calls of all ranks, by rank. Throws
  // std::invalid_argument on every rank if two of the calls differ.
  std::span<const Call> announce(const Call& mine);

  // Copy between this process and a peer's. Throw std::runtime_error if the peer is gone.
  void read_from(int peer, std::uint64_t address, std::byte* to, std::size_t bytes);
  void write_to(int peer, std::uint64_t address, const std::byte* from, std::size_t bytes);

 private:
  Control& control() { return region_->control(); }
  void meet(Reach reach);
  void leave();
  bool spin(std::uint32_t generation);
  void sleep(std::uint32_t generation);
  std::string missing_peers();  // which and why; "" if all are there or may still come
  std::string blame(int peer);  // also explains others' errors; names the rank found gone first
  [[noreturn]] void fail_to(const char* verb, int peer, int error);
  bool probe();

  std::shared_ptr<Region> region_;
  int rank_;
  bool reaches_private_memory_ = false;
  std::uint64_t turn_ = 0;
  std::chrono::steady_clock::time_point join_deadline_;  // of the first barrier
  std::chrono::nanoseconds spin_time_;
  std::vector<Call> calls_;
};

std::string describe(const Call& call);  // "all_reduce of 10 fp32"

}  // namespace sweepd::shm
