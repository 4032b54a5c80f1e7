// Tests any history of adding, cancelling, finishing, waiting and draining against the promises of
// the header. A plain model keeps track of them.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <set>

#include "runner/sched/queue.h"
#include "tests/sched/story.h"

namespace sweepd {
namespace {

constexpr Duration kGrace = seconds(2);

// The caller's view: its requests and the actions that it got.
struct World {
  Scheduler scheduler;
  Machine machine;
  std::map<ItemId, Item> waiting;
  struct Run {
    Item item;
    Lease lease;
    Instant started;
    std::optional<Instant> stopped;
    bool cancelled = false;
    bool killed = false;
  };
  std::map<ItemId, Run> running;
  std::map<ItemId, int> fates;  // started, refused or cancelled while waiting; must become 1
  bool drained = false;
  Instant now{0};

  explicit World(Machine m) : scheduler(m, kGrace), machine(std::move(m)) {}
  void step();
  void on(const StartAction& action);
  void on(const StopAction& action);
  void on(const KillAction& action);
  void on(const RefuseAction& action);
  void check_exclusive() const;
  void check_nobody_forgotten() const;
};

std::set<int> cores_of(const Lease& lease) {
  std::set<int> cores;
  for (const RankLease& rank : lease.ranks) cores.insert(rank.cores.begin(), rank.cores.end());
  return cores;
}

void World::on(const StartAction& action) {
  RC_ASSERT(!drained);
  RC_ASSERT(waiting.contains(action.item));
  const Item item = waiting.at(action.item);
  // Order: no item of the same kind that is ahead of it waits. (Refused ones were reported before.)
  for (const auto& [id, other] : waiting) {
    if (id != item.id && other.device == item.device) RC_ASSERT(!StartsBefore{}(other, item));
  }
  // Gangs are complete. Each rank has a core of this machine and, on GPUs, its own GPU.
  RC_ASSERT(action.lease.ranks.size() == static_cast<std::size_t>(item.world_size));
  std::set<std::string> gpus;
  for (const RankLease& rank : action.lease.ranks) {
    RC_ASSERT(!rank.cores.empty());
    RC_ASSERT(std::is_sorted(rank.cores.begin(), rank.cores.end()));
    if (item.threads > 0 && static_cast<std::size_t>(item.world_size) <= machine.cores.size()) {
      RC_ASSERT(rank.cores.size() == static_cast<std::size_t>(item.threads));
    }
    RC_ASSERT((item.device == DeviceKind::kCuda) == !rank.gpu_uuid.empty());
    if (!rank.gpu_uuid.empty()) RC_ASSERT(gpus.insert(rank.gpu_uuid).second);
  }
  for (const int core : cores_of(action.lease)) {
    RC_ASSERT(std::binary_search(machine.cores.begin(), machine.cores.end(), core));
  }
  ++fates[item.id];
  waiting.erase(item.id);
  running[item.id] = {item, action.lease, now, std::nullopt, false, false};
  check_exclusive();
}

void World::on(const StopAction& action) {
  RC_ASSERT(running.contains(action.item));
  Run& run = running.at(action.item);
  RC_ASSERT(!run.stopped);
  if (action.reason == StopReason::kCancelled) {
    RC_ASSERT(run.cancelled);
  } else {
    RC_ASSERT(run.item.timeout.ns > 0);
    RC_ASSERT(now >= run.started + run.item.timeout);
  }
  run.stopped = now;
}

void World::on(const KillAction& action) {
  RC_ASSERT(running.contains(action.item));
  Run& run = running.at(action.item);
  RC_ASSERT(run.stopped.has_value());
  RC_ASSERT(now >= *run.stopped + kGrace);
  RC_ASSERT(!run.killed);
  run.killed = true;
}

void World::on(const RefuseAction& action) {
  RC_ASSERT(waiting.contains(action.item));
  RC_ASSERT(!action.reason.empty());
  ++fates[action.item];
  waiting.erase(action.item);
}

// No core or GPU is used twice, memory stays within the machine's, and a CPU timing is alone.
void World::check_exclusive() const {
  std::set<int> cores;
  std::set<std::string> gpus;
  std::int64_t memory = 0;
  for (const auto& [id, run] : running) {
    for (const int core : cores_of(run.lease)) RC_ASSERT(cores.insert(core).second);
    for (const RankLease& rank : run.lease.ranks) {
      if (!rank.gpu_uuid.empty()) RC_ASSERT(gpus.insert(rank.gpu_uuid).second);
    }
    memory += run.item.memory.value;
    const bool alone =
        run.item.device == DeviceKind::kCpu && run.item.sharing == Sharing::kExclusive;
    if (alone) RC_ASSERT(running.size() == 1U);
  }
  RC_ASSERT(memory <= machine.memory.value);
}

// After a step, every item past its deadline was stopped, and on an idle machine none waits.
void World::check_nobody_forgotten() const {
  for (const auto& [id, run] : running) {
    if (run.cancelled) RC_ASSERT(run.stopped.has_value());
    if (run.item.timeout.ns > 0 && now >= run.started + run.item.timeout) {
      RC_ASSERT(run.stopped.has_value());
    }
    if (run.stopped && now >= *run.stopped + kGrace) RC_ASSERT(run.killed);
  }
  if (running.empty() && !drained) RC_ASSERT(waiting.empty());
  RC_ASSERT(scheduler.queued() == waiting.size());
  RC_ASSERT(scheduler.running() == running.size());
  const auto deadline = scheduler.next_deadline();
  RC_ASSERT(!deadline || *deadline > now);
}

void World::step() {
  for (const Action& action : scheduler.step(now)) {
    std::visit([this](const auto& a) { on(a); }, action);
  }
  check_nobody_forgotten();
}

Item any_item(ItemId id) {
  Item item;
  item.id = id;
  item.position = id;
  item.priority = *rc::gen::inRange(-1, 2);
  item.device = *rc::gen::element(DeviceKind::kCpu, DeviceKind::kCuda);
  item.sharing = *rc::gen::element(Sharing::kExclusive, Sharing::kShared);
  item.world_size = *rc::gen::inRange(1, 5);
  item.threads = *rc::gen::inRange(0, 4);
  item.memory = {*rc::gen::inRange<std::int64_t>(0, 12) * (1_GiB).value};
  item.timeout = seconds(*rc::gen::element(0, 0, 3, 7));
  return item;
}

ItemId any_key(const std::map<ItemId, World::Run>& map) {
  const auto i = *rc::gen::inRange<std::size_t>(0, map.size());
  return std::next(map.begin(), static_cast<std::ptrdiff_t>(i))->first;
}

void cancel_any(World& world, ItemId last) {
  const ItemId id = *rc::gen::inRange<ItemId>(1, last + 2);
  const bool was_waiting = world.waiting.contains(id);
  const auto run = world.running.find(id);
  const bool can_stop =
      run != world.running.end() && !run->second.cancelled && !run->second.stopped;
  RC_ASSERT(world.scheduler.is_queued(id) == was_waiting);
  RC_ASSERT(world.scheduler.cancel(id) == (was_waiting || can_stop));
  if (was_waiting) {
    ++world.fates[id];
    world.waiting.erase(id);
  } else if (can_stop) {
    run->second.cancelled = true;
  }
}

Machine any_machine() {
  Machine machine = machine_of(*rc::gen::inRange(1, 9), *rc::gen::inRange(0, 5), 10_GiB);
  for (Gpu& gpu : machine.gpus) {
    const int first = *rc::gen::inRange(0, 9);  // may exceed the cores that exist
    gpu.near_cores = {first, first + 1, first + 2};
  }
  return machine;
}

void finish(World& world, ItemId id) {
  world.scheduler.finished(id);
  world.running.erase(id);
}

TEST(Scheduler, KeepsItsPromisesInAnyHistory) {
  EXPECT_TRUE(rc::check([] {
    World world(any_machine());
    ItemId last = 0;
    const int events = *rc::gen::inRange(0, 80);
    for (int i = 0; i < events; ++i) {
      switch (*rc::gen::weightedElement<int>({{8, 0}, {2, 1}, {6, 2}, {4, 3}, {1, 4}})) {
        case 0: {
          const Item item = any_item(++last);
          world.waiting[item.id] = item;
          world.fates[item.id] = 0;
          world.scheduler.add(item);
          break;
        }
        case 1:
          cancel_any(world, last);
          break;
        case 2:
          if (!world.running.empty()) finish(world, any_key(world.running));
          break;
        case 3:
          world.now = world.now + milliseconds(*rc::gen::inRange(0, 4000));
          break;
        default:
          if (*rc::gen::inRange(0, 10) == 0) {
            world.scheduler.drain();
            world.drained = true;
          }
      }
      if (*rc::gen::arbitrary<bool>()) world.step();
    }
    // Lets the rest run: while something runs or waits, something must happen.
    world.step();
    while (!world.running.empty()) {
      finish(world, any_key(world.running));
      world.step();
    }
    for (const auto& [id, fate] : world.fates) {
      RC_ASSERT(fate == (world.drained && world.waiting.contains(id) ? 0 : 1));
    }
  }));
}

}  // namespace
}  // namespace sweepd
