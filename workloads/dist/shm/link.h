// One rank's hold on the shared region: the barrier, and what the ranks tell each other at it.
//
// Time is cut into turns by barriers. What a rank writes for others in one turn (its call, its
// slot, its result) is read in the next turn and in no other, so two of each take turns and a
// single barrier between two turns orders everything.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "workloads/dist/shm/region.h"

namespace sweepd::shm {

// How to reach memory of other ranks that lies outside the region.
enum class Reach {
  kBest,    // read and write it through the kernel where that is allowed, else as below
  kStaged,  // copy it through the region's slots
};

class Link {
 public:
  // Waits until all ranks are there: at most `timeout` (0: for ever). Throws std::runtime_error
  // that names the ranks that did not come.
  Link(std::shared_ptr<Region> region, int rank, Reach reach, std::chrono::milliseconds timeout);
  ~Link();  // the others' waits for this rank end with an error
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  int rank() const { return rank_; }
  int world_size() const { return region_->world_size(); }
  Region& region() { return *region_; }
  const std::shared_ptr<Region>& shared_region() const { return region_; }
  std::uint64_t turn() const { return turn_; }
  bool reaches_private_memory() const { return reaches_private_memory_; }

  // The barrier: the next turn begins when every rank is in here. Spins for a moment, then sleeps.
  // Throws std::runtime_error when a rank's process has ended or its Link is gone.
  void next_turn();

  // Publishes `mine`; after the barrier, the calls of all ranks, by rank. Throws
  // std::invalid_argument on every rank when two of them are about to do different things.
  std::span<const Call> announce(const Call& mine);

  // Between this process and a peer's. Throws std::runtime_error when the peer is gone.
  void read_from(int peer, std::uint64_t address, std::byte* to, std::size_t bytes);
  void write_to(int peer, std::uint64_t address, const std::byte* from, std::size_t bytes);

 private:
  Control& control() { return region_->control(); }
  bool spin(std::uint32_t generation);
  void sleep(std::uint32_t generation);
  std::string missing_peers();  // who of them and why; "" when all are there or may still come
  std::string blame(int peer);  // for others' errors too; who is named may be whom they found first
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
