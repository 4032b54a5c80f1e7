#include "runner/sched/resources.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace sweepd {
namespace {

std::size_t ranks_of(const Item& item) {
  return static_cast<std::size_t>(std::max(1, item.world_size));
}

// Gives each GPU a share of the cores: from its own NUMA node while these last, then from anywhere.
// If there are more GPUs than cores, several GPUs share a core.
std::vector<std::vector<int>> share_out(const Machine& machine) {
  std::vector<std::vector<int>> homes(machine.gpus.size());
  if (machine.gpus.empty() || machine.cores.empty()) return homes;
  const std::size_t share = machine.cores.size() / machine.gpus.size();
  if (share == 0) {
    for (std::size_t g = 0; g < homes.size(); ++g) {
      homes[g] = {machine.cores[g % machine.cores.size()]};
    }
    return homes;
  }
  std::set<int> unclaimed(machine.cores.begin(), machine.cores.end());
  for (std::size_t g = 0; g < homes.size(); ++g) {
    for (const int core : machine.gpus[g].near_cores) {
      if (homes[g].size() < share && unclaimed.erase(core) > 0) homes[g].push_back(core);
    }
  }
  for (std::vector<int>& home : homes) {
    while (home.size() < share) home.push_back(unclaimed.extract(unclaimed.begin()).value());
  }
  return homes;
}

// Moves cores that are in both `wanted` and `free` to the rank until it has `count`.
void move_cores(const std::vector<int>& wanted, std::size_t count, std::set<int>& free,
                std::vector<int>& rank) {
  for (const int core : wanted) {
    if (rank.size() >= count) return;
    if (free.erase(core) > 0) rank.push_back(core);
  }
}

std::string by_quota(const Machine& machine) {
  return machine.cpu_quota ? fmt::format(", by its CPU quota of {:.3g}", *machine.cpu_quota) : "";
}

}  // namespace

Resources::Resources(Pool pool)
    : place_(pool.name == kLocalPool ? "this machine" : "pool `" + pool.name + "`"),
      machine_(std::move(pool.machine)),
      cluster_(pool.cluster),
      home_(share_out(machine_)) {
  std::sort(machine_.cores.begin(), machine_.cores.end());
  for (const int core : machine_.cores) core_users_[core] = 0;
  gpu_users_.assign(machine_.gpus.size(), 0);
}

std::size_t Resources::cores_per_rank(const Item& item) const {
  const std::size_t cores = machine_.cores.size();
  if (item.threads > 0) return static_cast<std::size_t>(item.threads);
  const std::size_t parts =
      item.device == DeviceKind::kCuda ? machine_.gpus.size() : ranks_of(item);
  // A gang with more GPUs than cores shares the cores; an attempt's share is at least one core.
  return std::max<std::size_t>(1, cores / std::max<std::size_t>(1, parts));
}

// Only the cluster knows its nodes, their cores and their memory.
std::string Resources::refusal_by_cluster(const Item& item) const {
  if (item.device == DeviceKind::kCpu || cluster_->gpus_per_node > 0) return {};
  return fmt::format(
      "device cuda needs a GPU for each rank, and {} has none: its `gpus_per_node` is "
      "0",
      place_);
}

std::string Resources::refusal_of_ranks(const Item& item) const {
  if (cluster_) return {};
  const std::size_t cores = machine_.cores.size();
  const std::size_t ranks = ranks_of(item);
  if (item.device == DeviceKind::kCuda || cores == 0 || ranks <= cores * kMaxRanksPerCore) {
    return {};
  }
  return fmt::format(
      "world_size {} is more than {} ranks a core, and {} has {} cores: at most {} ranks", ranks,
      kMaxRanksPerCore, place_, cores, cores * kMaxRanksPerCore);
}

std::string Resources::refusal(const Item& item) const {
  if (cluster_) return refusal_by_cluster(item);
  const std::size_t cores = machine_.cores.size();
  const std::size_t ranks = ranks_of(item);
  if (cores == 0) return fmt::format("needs a CPU core, and {} has 0 that may be used", place_);
  if (item.device == DeviceKind::kCuda && ranks > machine_.gpus.size()) {
    const std::string needs =
        ranks == 1 ? "needs 1 GPU" : fmt::format("world_size {} needs {} GPUs", ranks, ranks);
    return machine_.gpus.empty()
               ? fmt::format("{}, and {} has none", needs, place_)
               : fmt::format("{}, and {} has {}", needs, place_, machine_.gpus.size());
  }
  if (item.threads > 0 && static_cast<std::size_t>(item.threads) > cores) {
    return fmt::format("threads {} needs {} cores, and {} has {}{}", item.threads, item.threads,
                       place_, cores, by_quota(machine_));
  }
  if (std::string ranks_refused = refusal_of_ranks(item); !ranks_refused.empty()) {
    return ranks_refused;
  }
  const bool shares_cores = ranks > cores && item.threads <= 1;
  if (!shares_cores && ranks * cores_per_rank(item) > cores) {
    return fmt::format("{} ranks of {} threads need {} cores, and {} has {}{}", ranks, item.threads,
                       ranks * cores_per_rank(item), place_, cores, by_quota(machine_));
  }
  if (machine_.memory.value > 0 && item.memory > machine_.memory) {
    std::string wanted = to_human(item.memory);
    std::string present = to_human(machine_.memory);
    if (wanted == present) {  // the difference is lost in rounding
      wanted = to_text(item.memory);
      present = to_text(machine_.memory);
    }
    return fmt::format("needs {} of memory, and {} has {}", wanted, place_, present);
  }
  return {};
}

bool Resources::host_allows(const Item& item) const {
  if (cpu_timings_ > 0) return false;
  if (item.device == DeviceKind::kCpu) {
    if (item.sharing == Sharing::kExclusive && running_ > 0) return false;
    if (item.threads == 0 && cpu_attempts_ > 0) return false;
    if (cpu_all_cores_ > 0) return false;
  }
  return machine_.memory.value == 0 || item.memory.value == 0 ||
         memory_held_ + item.memory.value <= machine_.memory.value;
}

std::vector<int> Resources::free_cores() const {
  std::vector<int> cores;
  for (const int core : machine_.cores) {
    if (core_users_.at(core) == 0) cores.push_back(core);
  }
  return cores;
}

std::vector<std::size_t> Resources::free_gpus() const {
  std::vector<std::size_t> gpus;
  for (std::size_t g = 0; g < gpu_users_.size(); ++g) {
    if (gpu_users_[g] == 0 && !paused_.gpus.contains(machine_.gpus[g].uuid)) gpus.push_back(g);
  }
  return gpus;
}

std::size_t Resources::gpus_in_use() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      machine_.gpus, [this](const Gpu& gpu) { return !paused_.gpus.contains(gpu.uuid); }));
}

bool Resources::lacks_gpus(const Item& item) const {
  return !cluster_ && item.device == DeviceKind::kCuda && ranks_of(item) > gpus_in_use();
}

std::variant<Lease, WaitsFor> Resources::offer(const Item& item) const {
  if (cluster_) {
    if (running_ >= cluster_->most_given) return WaitsFor::kHost;
    return on_cluster(item);
  }
  std::vector<std::size_t> gpus;
  if (item.device == DeviceKind::kCuda) {
    gpus = free_gpus();
    if (gpus.size() < ranks_of(item)) return WaitsFor::kGpus;
    gpus.resize(ranks_of(item));
  }
  if (!host_allows(item)) return WaitsFor::kHost;
  const std::vector<int> cores = free_cores();
  const std::size_t wanted = std::min(ranks_of(item) * cores_per_rank(item), machine_.cores.size());
  if (cores.size() < wanted) return WaitsFor::kHost;
  return gpus.empty() ? on_cpu(item, cores) : on_gpus(item, cores, gpus);
}

Lease Resources::on_cluster(const Item& item) const {
  Lease lease;
  lease.ranks.resize(ranks_of(item));
  if (item.device == DeviceKind::kCpu) return lease;
  for (std::size_t rank = 0; rank < lease.ranks.size(); ++rank) {
    const auto place = static_cast<std::int64_t>(rank) % cluster_->gpus_per_node;
    lease.ranks[rank].gpu_index = static_cast<int>(place);
  }
  return lease;
}

Lease Resources::on_cpu(const Item& item, const std::vector<int>& cores) const {
  const std::size_t each = cores_per_rank(item);
  Lease lease;
  for (std::size_t rank = 0; rank < ranks_of(item); ++rank) {
    RankLease& part = lease.ranks.emplace_back();
    // The modulo matters only if there are more ranks than cores; each rank then has one core.
    for (std::size_t i = 0; i < each; ++i) {
      part.cores.push_back(cores[(rank * each + i) % cores.size()]);
    }
  }
  return lease;
}

Lease Resources::on_gpus(const Item& item, const std::vector<int>& cores,
                         const std::vector<std::size_t>& gpus) const {
  const std::size_t each = cores_per_rank(item);
  std::set<int> free(cores.begin(), cores.end());
  Lease lease;
  for (const std::size_t g : gpus) {
    lease.ranks.push_back({{}, machine_.gpus[g].uuid, machine_.gpus[g].index});
    move_cores(home_[g], each, free, lease.ranks.back().cores);
  }
  // Other nodes' cores come last, so that no rank gets a core nearer to another of its gang.
  for (std::size_t r = 0; r < gpus.size(); ++r) {
    move_cores(machine_.gpus[gpus[r]].near_cores, each, free, lease.ranks[r].cores);
  }
  for (std::size_t r = 0; r < gpus.size(); ++r) {
    std::vector<int>& rank = lease.ranks[r].cores;
    move_cores(cores, each, free, rank);
    if (rank.empty()) rank.push_back(cores[r % cores.size()]);
    std::sort(rank.begin(), rank.end());
  }
  return lease;
}

int* Resources::gpu_users(const RankLease& rank) {
  for (std::size_t g = 0; g < machine_.gpus.size(); ++g) {
    if (machine_.gpus[g].uuid == rank.gpu_uuid) return &gpu_users_[g];
  }
  return nullptr;  // adopted, and this machine no longer has its GPU
}

void Resources::count(const Item& item, const Lease& lease, int change) {
  std::set<int> cores;
  for (const RankLease& rank : lease.ranks) {
    cores.insert(rank.cores.begin(), rank.cores.end());
    if (int* users = rank.gpu_uuid.empty() ? nullptr : gpu_users(rank)) *users += change;
  }
  for (const int core : cores) core_users_[core] += change;
  memory_held_ += change * item.memory.value;
  running_ += change;
  if (item.device == DeviceKind::kCuda) return;
  cpu_attempts_ += change;
  if (item.sharing == Sharing::kExclusive) cpu_timings_ += change;
  if (item.threads == 0) cpu_all_cores_ += change;
}

}  // namespace sweepd
