// Scheduler decisions as lines of text, so that a test reads as a story:
//   start 1 on 0,1 | 2,3          a CPU gang of two ranks and their cores
//   start 2 on GPU-0:0,1          a GPU attempt
//   stop 1 timeout / kill 1 timeout / refuse 3: needs ...
#pragma once

#include <fmt/format.h>

#include <numeric>
#include <string>
#include <vector>

#include "runner/sched/scheduler.h"

namespace sweepd {

// The instant of a clock that counts whole seconds.
constexpr Instant at(std::int64_t second) {
  return Instant{second * 1'000'000'000};
}

inline Machine machine_of(int cores, int gpus = 0, Bytes memory = 64_GiB) {
  Machine machine;
  machine.cores.resize(static_cast<std::size_t>(cores));
  std::iota(machine.cores.begin(), machine.cores.end(), 0);
  for (int g = 0; g < gpus; ++g) {
    machine.gpus.push_back({g, fmt::format("GPU-{}", g), "H200", 141_GiB, {}});
  }
  machine.memory = memory;
  return machine;
}

inline Item cpu_timing(ItemId id) {
  Item item;
  item.id = id;
  item.position = id;
  return item;
}
inline Item cpu_shared(ItemId id, int threads = 0) {
  Item item = cpu_timing(id);
  item.sharing = Sharing::kShared;
  item.threads = threads;
  return item;
}
inline Item gpu_timing(ItemId id, int world_size = 1) {
  Item item = cpu_timing(id);
  item.device = DeviceKind::kCuda;
  item.world_size = world_size;
  return item;
}
inline Item gpu_shared(ItemId id) {
  Item item = gpu_timing(id);
  item.sharing = Sharing::kShared;
  return item;
}
inline Item in(PoolIndex pool, Item item) {
  item.pool = pool;
  return item;
}
inline Item with_priority(Item item, std::int64_t priority) {
  item.priority = priority;
  return item;
}
inline Item with_threads(Item item, int threads) {
  item.threads = threads;
  return item;
}
inline Item with_ranks(Item item, int world_size) {
  item.world_size = world_size;
  return item;
}
inline Item with_memory(Item item, Bytes memory) {
  item.memory = memory;
  return item;
}
inline Item with_timeout(Item item, Duration timeout) {
  item.timeout = timeout;
  return item;
}

inline std::string text_of(const Lease& lease) {
  std::string text;
  for (const RankLease& rank : lease.ranks) {
    if (!text.empty()) text += " | ";
    if (!rank.gpu_uuid.empty()) text += rank.gpu_uuid + ":";
    text += fmt::format("{}", fmt::join(rank.cores, ","));
  }
  return text;
}

inline std::string text_of(const Action& action) {
  const auto reason = [](StopReason r) { return r == StopReason::kTimeout ? "timeout" : "cancel"; };
  if (const auto* a = std::get_if<StartAction>(&action)) {
    return fmt::format("start {} on {}", a->item, text_of(a->lease));
  }
  if (const auto* a = std::get_if<StopAction>(&action)) {
    return fmt::format("stop {} {}", a->item, reason(a->reason));
  }
  if (const auto* a = std::get_if<KillAction>(&action)) {
    return fmt::format("kill {} {}", a->item, reason(a->reason));
  }
  const auto& refuse = std::get<RefuseAction>(action);
  return fmt::format("refuse {}: {}", refuse.item, refuse.reason);
}

inline std::vector<std::string> step_at(Scheduler& scheduler, Instant now = {}) {
  std::vector<std::string> lines;
  for (const Action& action : scheduler.step(now)) lines.push_back(text_of(action));
  return lines;
}

}  // namespace sweepd
