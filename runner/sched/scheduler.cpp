#include "runner/sched/scheduler.h"

#include <cassert>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "runner/sched/queue.h"
#include "runner/sched/resources.h"

namespace sweepd {
namespace {

// What happens at the next deadline of a running attempt. kKilled has no deadline.
enum class Stage { kRunning, kStopping, kKilled };

struct Running {
  Item item;
  Lease lease;
  Stage stage = Stage::kRunning;
  StopReason reason = StopReason::kTimeout;
  std::optional<Instant> deadline;
};

}  // namespace

struct Scheduler::State {
  State(Machine machine, Duration grace_period)
      : resources(std::move(machine)), grace(grace_period) {}

  WaitingQueue<>& lane(DeviceKind kind) { return kind == DeviceKind::kCpu ? cpu : cuda; }
  void begin(Item item, Lease lease, Instant started);
  void set_deadline(Running& run, std::optional<Instant> deadline);
  void stop(Running& run, StopReason reason, Instant now, std::vector<Action>& actions);
  void stop_cancelled(Instant now, std::vector<Action>& actions);
  void stop_overdue(Instant now, std::vector<Action>& actions);
  void refuse(std::vector<Action>& actions);
  std::optional<WaitsFor> try_start(const Item& item, Instant now, std::vector<Action>& actions);
  bool start_one(Instant now, std::vector<Action>& actions);

  Resources resources;
  Duration grace;
  WaitingQueue<> cpu, cuda;
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

void Scheduler::State::begin(Item item, Lease lease, Instant started) {
  resources.take(item, lease);
  Running& run = running[item.id];
  run.item = std::move(item);
  run.lease = std::move(lease);
  if (run.item.timeout.ns > 0) set_deadline(run, started + run.item.timeout);
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
  std::variant<Lease, WaitsFor> offer = resources.offer(item);
  if (const auto* waits = std::get_if<WaitsFor>(&offer)) return *waits;
  Item started = item;  // `item` lives in the queue
  lane(started.device).remove(started.id);
  Lease& lease = std::get<Lease>(offer);
  actions.emplace_back(StartAction{started.id, lease});
  begin(std::move(started), std::move(lease), now);
  return std::nullopt;
}

// Applies the fairness rule of the header. Returns true if an attempt started and the next may be
// asked.
bool Scheduler::State::start_one(Instant now, std::vector<Action>& actions) {
  const Item* first = cpu.first();
  const Item* second = cuda.first();
  if (first == nullptr || (second != nullptr && StartsBefore{}(*second, *first))) {
    std::swap(first, second);
  }
  if (first == nullptr) return false;
  const std::optional<WaitsFor> waits = try_start(*first, now, actions);
  if (!waits) return true;
  if (waits == WaitsFor::kHost || second == nullptr) return false;
  return !try_start(*second, now, actions);
}

Scheduler::Scheduler(Machine machine, Duration grace)
    : state_(std::make_unique<State>(std::move(machine), grace)) {}
Scheduler::~Scheduler() = default;

void Scheduler::add(Item item) {
  assert(!is_queued(item.id) && !state_->running.contains(item.id));
  std::string reason = state_->resources.refusal(item);
  if (!reason.empty()) {
    state_->refused.emplace(item.id, std::move(reason));
  } else {
    state_->lane(item.device).add(item);
  }
}

void Scheduler::adopt(Item item, Lease lease, Instant started) {
  assert(!is_queued(item.id) && !state_->running.contains(item.id));
  state_->begin(std::move(item), std::move(lease), started);
}

bool Scheduler::cancel(ItemId item) {
  State& s = *state_;
  if (s.cpu.remove(item) || s.cuda.remove(item) || s.refused.erase(item) > 0) return true;
  const auto found = s.running.find(item);
  if (found == s.running.end() || found->second.stage != Stage::kRunning) return false;
  return s.cancelled.insert(item).second;
}

bool Scheduler::is_queued(ItemId item) const {
  return state_->cpu.contains(item) || state_->cuda.contains(item) ||
         state_->refused.contains(item);
}

void Scheduler::finished(ItemId item) {
  State& s = *state_;
  const auto found = s.running.find(item);
  if (found == s.running.end()) return;
  s.set_deadline(found->second, std::nullopt);
  s.cancelled.erase(item);
  s.resources.release(found->second.item, found->second.lease);
  s.running.erase(found);
}

void Scheduler::drain() {
  state_->draining = true;
}

std::vector<Action> Scheduler::step(Instant now) {
  std::vector<Action> actions;
  state_->stop_cancelled(now, actions);
  state_->stop_overdue(now, actions);
  state_->refuse(actions);
  while (!state_->draining && state_->start_one(now, actions)) {
  }
  return actions;
}

std::optional<Instant> Scheduler::next_deadline() const {
  if (state_->deadlines.empty()) return std::nullopt;
  return state_->deadlines.begin()->first;
}

std::size_t Scheduler::queued() const {
  return state_->cpu.size() + state_->cuda.size() + state_->refused.size();
}

std::size_t Scheduler::running() const {
  return state_->running.size();
}

}  // namespace sweepd
