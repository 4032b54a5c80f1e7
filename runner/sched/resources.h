// A pool's cores, GPUs and memory, and their holders. Decides whether an attempt fits now, never,
// or must wait, and for which resource. The scheduler decides the order of attempts.
//
// The size of a lease depends on the machine and the attempt alone, never on other attempts, so
// that a figure does not depend on its neighbours:
//   CPU  threads = 0: all cores, split evenly over the ranks; the remainder stays idle
//   GPU  threads = 0: an even share of the cores for each GPU, at least one
//   threads > 0: that many cores for each rank
//   more ranks than cores and threads <= 1: all cores, shared by the ranks round-robin
//   a cluster: no cores; a GPU's index is the rank's place among the GPUs of its node
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "runner/sched/scheduler.h"

namespace sweepd {

enum class WaitsFor {
  kGpus,  // only attempts on GPUs can block it
  kHost,  // cores, memory, or the host to itself: any attempt can block it
};

// With more ranks per core than this, ranks would wait for each other for minutes and measure
// nothing.
inline constexpr std::size_t kMaxRanksPerCore = 16;

class Resources {
 public:
  explicit Resources(Pool pool);
  explicit Resources(Machine machine)
      : Resources(Pool{std::string(kLocalPool), std::move(machine)}) {}

  // Returns why the pool can never run the item, with the number needed and the number
  // available, or "" if it can.
  std::string refusal(const Item& item) const;
  // Like refusal, but only for reasons that hold on any machine of about this size: far more ranks
  // than cores. A sweep with such a trial is not accepted at all.
  std::string refusal_of_ranks(const Item& item) const;

  // Returns the lease that it would get now, or the reason to wait. Takes nothing. Not for refused
  // items.
  std::variant<Lease, WaitsFor> offer(const Item& item) const;

  void pause(PausedDevices devices) { paused_ = std::move(devices); }
  bool cpu_is_paused() const { return paused_.cpu; }
  std::size_t gpus_in_use() const;          // those that are not paused
  bool lacks_gpus(const Item& item) const;  // it needs more than these

  bool is_cluster() const { return cluster_.has_value(); }

  void take(const Item& item, const Lease& lease) { count(item, lease, +1); }
  void release(const Item& item, const Lease& lease) { count(item, lease, -1); }

 private:
  std::size_t cores_per_rank(const Item& item) const;
  bool host_allows(const Item& item) const;
  std::vector<int> free_cores() const;
  std::vector<std::size_t> free_gpus() const;
  Lease on_cpu(const Item& item, const std::vector<int>& cores) const;
  Lease on_gpus(const Item& item, const std::vector<int>& cores,
                const std::vector<std::size_t>& gpus) const;
  std::string refusal_by_cluster(const Item& item) const;
  Lease on_cluster(const Item& item) const;
  int* gpu_users(const RankLease& rank);
  void count(const Item& item, const Lease& lease, int change);

  std::string place_;  // "this machine" or "pool `name`", for messages
  Machine machine_;
  std::optional<Cluster> cluster_;
  std::vector<std::vector<int>> home_;  // by GPU: its share of the cores, near ones first
  std::map<int, int> core_users_;       // attempts on each core; adopted ones may overlap
  std::vector<int> gpu_users_;          // by position in machine_.gpus
  PausedDevices paused_;
  std::int64_t memory_held_ = 0;
  int running_ = 0;
  int cpu_timings_ = 0;    // exclusive attempts on the CPU: 0 or 1, or more if adopted
  int cpu_attempts_ = 0;   // all attempts on the CPU
  int cpu_all_cores_ = 0;  // those among them with all cores (threads = 0)
};

}  // namespace sweepd
