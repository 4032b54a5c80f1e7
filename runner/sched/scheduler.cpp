#include "runner/sched/scheduler.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "runner/sched/queue.h"
#include "runner/sched/resources.h"

namespace sweepd {
namespace {

// The state of a running attempt, which decides its next deadline. kKilled has no deadline.
enum class Stage { kRunning, kStopping, kKilled };

struct Running {
  Item item;
  Lease lease;
  Stage stage = Stage::kRunning;
  StopReason reason = StopReason::kTimeout;
  std::optional<Instant> deadline;
};

// A pool and its waiting attempts.
struct PoolState {
  explicit PoolState(Pool pool) : resources(std::move(pool)) {}

  WaitingQueue<>& lane(DeviceKind kind) { return kind == DeviceKind::kCpu ? cpu : cuda; }
  bool contains(ItemId item) const {
    return cpu.contains(item) || cuda.contains(item) || aside.contains(item);
  }
  bool remove(ItemId item) { return cpu.remove(item) || cuda.remove(item) || aside.remove(item); }
  std::size_t size() const { return cpu.size() + cuda.size() + aside.size(); }
  const Item* first_on_cpu() const { return resources.cpu_is_paused() ? nullptr : cpu.first(); }
  const Item* first_on_gpus();
  void pause(PausedDevices devices);

  Resources resources;
  WaitingQueue<> cpu, cuda;
  WaitingQueue<> aside;  // on GPUs: those that need more than are not paused
};

// If none is left, nothing needs to step aside.
const Item* PoolState::first_on_gpus() {
  if (resources.is_cluster()) return cuda.first();
  if (resources.gpus_in_use() == 0) return nullptr;
  while (const Item* first = cuda.first()) {
    if (!resources.lacks_gpus(*first)) return first;
    const Item item = *first;
    cuda.remove(item.id);
    aside.add(item);
  }
  return nullptr;
}

void PoolState::pause(PausedDevices devices) {
  resources.pause(std::move(devices));
  while (aside.first() != nullptr) {
    const Item item = *aside.first();
    aside.remove(item.id);
    cuda.add(item);
  }
}

}  // namespace

struct Scheduler::State {
  explicit State(Duration grace_period) : grace(grace_period) {}

  PoolState& pool_of(const Item& item) { return pools.at(item.pool); }
  void begin(Item item, Lease lease, std::optional<Instant> started);
  void set_deadline(Running& run, std::optional<Instant> deadline);
  void stop(Running& run, StopReason reason, Instant now, std::vector<Action>& actions);
  void stop_cancelled(Instant now, std::vector<Action>& actions);
  void stop_overdue(Instant now, std::vector<Action>& actions);
  void refuse(std::vector<Action>& actions);
  std::optional<WaitsFor> try_start(const Item& item, Instant now, std::vector<Action>& actions);
  bool start_one(PoolState& pool, Instant now, std::vector<Action>& actions);

  std::vector<PoolState> pools;
  Duration grace;
  std::map<ItemId, std::string> refused;  // until the next step reports them
  std::unordered_map<ItemId, Running> running;
  std::set<std::pair<Instant, ItemId>> deadlines;
  std::set<ItemId> cancelled;  // running, with their StopAction still to come
  bool draining = false;
};

void Scheduler::State::set_deadline(Running& run, std::optional<Instant> deadline) {
  if (run.deadline) deadlines.erase({*run.deadline, run.item.id});
  run.deadline = deadline;
  if (deadline) deadlines.insert({*deadline, run.item.id});
}

void Scheduler::State::begin(Item item, Lease lease, std::optional<Instant> started) {
  pool_of(item).resources.take(item, lease);
  Running& run = running[item.id];
  run.item = std::move(item);
  run.lease = std::move(lease);
  if (run.item.timeout.ns > 0 && started) set_deadline(run, *started + run.item.timeout);
}

void Scheduler::State::stop(Running& run, StopReason reason, Instant now,
                            std::vector<Action>& actions) {
  run.stage = Stage::kStopping;
  run.reason = reason;
  actions.emplace_back(StopAction{run.item.id, reason});
  set_deadline(run, now + grace);
}

void Scheduler::State::stop_cancelled(Instant now, std::vector<Action>& actions) {
  for (const ItemId id : std::exchange(cancelled, {})) {
    stop(running.at(id), StopReason::kCancelled, now, actions);
  }
}

void Scheduler::State::stop_overdue(Instant now, std::vector<Action>& actions) {
  while (!deadlines.empty() && deadlines.begin()->first <= now) {
    Running& run = running.at(deadlines.begin()->second);
    if (run.stage == Stage::kRunning) {
      stop(run, StopReason::kTimeout, now, actions);
    } else {
      run.stage = Stage::kKilled;
      actions.emplace_back(KillAction{run.item.id, run.reason});
      set_deadline(run, std::nullopt);
    }
  }
}

void Scheduler::State::refuse(std::vector<Action>& actions) {
  for (auto& [id, reason] : std::exchange(refused, {})) {
    actions.emplace_back(RefuseAction{id, std::move(reason)});
  }
}

std::optional<WaitsFor> Scheduler::State::try_start(const Item& item, Instant now,
                                                    std::vector<Action>& actions) {
  PoolState& pool = pool_of(item);
  std::variant<Lease, WaitsFor> offer = pool.resources.offer(item);
  if (const auto* waits = std::get_if<WaitsFor>(&offer)) return *waits;
  Item started = item;  // `item` lives in the queue
  pool.lane(started.device).remove(started.id);
  Lease& lease = std::get<Lease>(offer);
  actions.emplace_back(StartAction{started.id, started.pool, lease});
  const bool starts_now = !pool.resources.is_cluster();
  begin(std::move(started), std::move(lease), starts_now ? std::optional(now) : std::nullopt);
  return std::nullopt;
}

// Applies the fairness rule of the header. Returns true if an attempt started and the next may be
// asked.
bool Scheduler::State::start_one(PoolState& pool, Instant now, std::vector<Action>& actions) {
  const Item* first = pool.first_on_cpu();
  const Item* second = pool.first_on_gpus();
  if (first == nullptr || (second != nullptr && StartsBefore{}(*second, *first))) {
    std::swap(first, second);
  }
  if (first == nullptr) return false;
  const std::optional<WaitsFor> waits = try_start(*first, now, actions);
  if (!waits) return true;
  if (waits == WaitsFor::kHost || second == nullptr) return false;
  return !try_start(*second, now, actions);
}

Scheduler::Scheduler(std::vector<Pool> pools, Duration grace)
    : state_(std::make_unique<State>(grace)) {
  assert(!pools.empty());
  for (Pool& pool : pools) state_->pools.emplace_back(std::move(pool));
}
Scheduler::~Scheduler() = default;

void Scheduler::add(Item item) {
  assert(!is_queued(item.id) && !state_->running.contains(item.id));
  PoolState& pool = state_->pool_of(item);
  std::string reason = pool.resources.refusal(item);
  if (!reason.empty()) {
    state_->refused.emplace(item.id, std::move(reason));
  } else {
    pool.lane(item.device).add(item);
  }
}

void Scheduler::adopt(Item item, Lease lease, std::optional<Instant> started) {
  assert(!is_queued(item.id) && !state_->running.contains(item.id));
  state_->begin(std::move(item), std::move(lease), started);
}

bool Scheduler::cancel(ItemId item) {
  State& s = *state_;
  if (s.refused.erase(item) > 0) return true;
  if (std::ranges::any_of(s.pools, [&](PoolState& pool) { return pool.remove(item); })) return true;
  const auto found = s.running.find(item);
  if (found == s.running.end() || found->second.stage != Stage::kRunning) return false;
  return s.cancelled.insert(item).second;
}

bool Scheduler::is_queued(ItemId item) const {
  if (state_->refused.contains(item)) return true;
  return std::ranges::any_of(state_->pools,
                             [&](const PoolState& pool) { return pool.contains(item); });
}

void Scheduler::finished(ItemId item) {
  State& s = *state_;
  const auto found = s.running.find(item);
  if (found == s.running.end()) return;
  s.set_deadline(found->second, std::nullopt);
  s.cancelled.erase(item);
  s.pool_of(found->second.item).resources.release(found->second.item, found->second.lease);
  s.running.erase(found);
}

void Scheduler::pause(PoolIndex pool, PausedDevices devices) {
  state_->pools.at(pool).pause(std::move(devices));
}

void Scheduler::drain() {
  state_->draining = true;
}

std::vector<Action> Scheduler::step(Instant now) {
  std::vector<Action> actions;
  state_->stop_cancelled(now, actions);
  state_->stop_overdue(now, actions);
  state_->refuse(actions);
  if (state_->draining) return actions;
  for (PoolState& pool : state_->pools) {
    while (state_->start_one(pool, now, actions)) {
    }
  }
  return actions;
}

std::optional<Instant> Scheduler::next_deadline() const {
  if (state_->deadlines.empty()) return std::nullopt;
  return state_->deadlines.begin()->first;
}

std::size_t Scheduler::queued() const {
  std::size_t waiting = state_->refused.size();
  for (const PoolState& pool : state_->pools) waiting += pool.size();
  return waiting;
}

std::size_t Scheduler::queued(PoolIndex pool) const {
  return state_->pools.at(pool).size();
}

std::size_t Scheduler::running() const {
  return state_->running.size();
}

}  // namespace sweepd
