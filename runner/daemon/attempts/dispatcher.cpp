#include "runner/daemon/attempts/dispatcher.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <variant>

#include "runner/daemon/attempts/item_of.h"
#include "runner/daemon/attempts/run.h"

namespace sweepd {

namespace asio = boost::asio;

Dispatcher::Dispatcher(asio::io_context& io, Writer& writer, Pools pools, const Catalog& catalog,
                       Hooks hooks, DispatcherTiming timing)
    : io_(io),
      writer_(writer),
      pools_(std::move(pools)),
      catalog_(catalog),
      hooks_(std::move(hooks)),
      timing_(timing),
      side_(io),
      folders_(make_pool_folders(io, side_, pools_)),
      scheduler_(pools_.for_scheduler(), timing.grace),
      devices_(writer, pools_.at(0).pool.machine),
      sentinels_(writer, catalog, sentinel_hooks()),
      queue_(io, side_, pools_, catalog, scheduler_, queue_hooks()),
      gates_(io, pools_, folders_, timing, gate_hooks()),
      ends_({io, writer, side_, pools_, folders_, catalog, scheduler_, queue_, gates_, sentinels_,
             devices_},
            timing, end_hooks()),
      starter_(writer, pools_, folders_, catalog, start_hooks()),
      timer_(io),
      events_(
          io, pools_, [this](const auto& events) { handle(events); }, [this] { note_trouble(); }) {}

Dispatcher::~Dispatcher() = default;

AttemptQueue::Hooks Dispatcher::queue_hooks() {
  AttemptQueue::Hooks hooks;
  hooks.refused = [this](const OpenAttempt& attempt, Ending ending) {
    ends_.end_without_process(attempt, std::move(ending));
  };
  hooks.added = [this](const OpenAttempt& attempt) { sentinels_.opened(attempt); };
  hooks.removed = [this](const OpenAttempt& attempt) { sentinels_.ended(attempt); };
  hooks.held = [this](std::int64_t row) { starter_.withdraw(row); };
  hooks.changed = [this] {
    hooks_.changed();
    schedule_pump();
  };
  return hooks;
}

StartGates::Hooks Dispatcher::gate_hooks() {
  StartGates::Hooks hooks;
  hooks.store_refused = [this] { return ends_.store_refused(); };
  hooks.nothing_waits = [this](PoolIndex pool) {
    return pool == 0 ? queue_.nothing_wants_to_start() : scheduler_.queued(pool) == 0;
  };
  hooks.opened = [this] { schedule_pump(); };
  hooks.changed = [this] { hooks_.changed(); };
  return hooks;
}

AttemptEnds::Hooks Dispatcher::end_hooks() {
  AttemptEnds::Hooks hooks;
  hooks.ended = [this](const OpenAttempt& attempt, const Ending& ending) {
    hooks_.ended({attempt.id, attempt.trial_key, label_of(catalog_, attempt), attempt.pass,
                  outcome_of(ending), describe(ending)});
  };
  hooks.lease_is_free = [this] { schedule_pump(); };
  hooks.gpu_is_faulty = [this] { apply_device_pauses(); };
  hooks.changed = [this] { hooks_.changed(); };
  hooks.keeps_folder = [this] { return hooks_.keeps_folder(); };
  return hooks;
}

Sentinels::Hooks Dispatcher::sentinel_hooks() {
  Sentinels::Hooks hooks;
  hooks.queue = [this](OpenAttempt sentinel) { enqueue({std::move(sentinel)}); };
  hooks.resume = [this] { schedule_pump(); };
  return hooks;
}

void Dispatcher::stop(const std::vector<std::int64_t>& running_rows) {
  for (const std::int64_t row : running_rows) {
    scheduler_.cancel(row);
    // It was put back into the queue before the database recorded its start.
    if (const auto attempt = queue_.take(row)) {
      ends_.end_without_process(*attempt, {Cancelled{"cancelled"}});
    } else {
      ends_.cancel(row);
    }
  }
  schedule_pump();
}

void Dispatcher::drain() {
  draining_ = true;
  scheduler_.drain();
  schedule_pump();
}

void Dispatcher::kill_running() {
  for (const auto& [row, run] : running_) run->kill();
  starter_.kill_all();
}

// Posts `pump`, so that actions are carried out from the event loop and never inside a call that
// changed the scheduler.
void Dispatcher::schedule_pump() {
  if (std::exchange(pump_scheduled_, true)) return;
  asio::post(io_, [this] {
    pump_scheduled_ = false;
    pump();
  });
}

void Dispatcher::pump() {
  for (const Action& action : scheduler_.step(now_instant())) {
    std::visit([this](const auto& a) { act(a); }, action);
  }
  arm_timer();
  for (PoolIndex pool = 0; pool < pools_.size(); ++pool) {
    if (nothing_runs_in(pool) && scheduler_.queued(pool) == 0) pools_.at(pool).executor->rest();
  }
  if (draining_ && may_end()) hooks_.drained();
  if (!is_idle()) return;
  if (queue_.nothing_wants_to_start()) gates_.end_all_trouble();  // no attempt is left to show it
  if (scheduler_.queued() == 0) writer_.rest();
}

bool Dispatcher::is_idle() const {
  return running_.empty() && starter_.empty() && side_.pending() == 0 &&
         !ends_.waits_to_read_again() && !ends_.is_storing();
}

// The next daemon reads journals that cannot be read now. A cluster continues without a daemon,
// perhaps for hours; the next one finds its results.
bool Dispatcher::may_end() const {
  if (measures_here()) return false;
  return side_.pending() == 0 && !ends_.is_storing();
}

bool Dispatcher::measures_here() const {
  for (PoolIndex pool = 0; pool < pools_.size(); ++pool) {
    if (!pools_.at(pool).is_cluster() && !nothing_runs_in(pool)) return true;
  }
  return false;
}

bool Dispatcher::nothing_runs_in(PoolIndex pool) const {
  if (pools_.size() == 1) return running_.empty() && starter_.empty();
  const auto is_there = [&](const OpenAttempt& attempt) {
    return pool_of_attempt(attempt) == pool;
  };
  return std::ranges::none_of(running_,
                              [&](const auto& e) { return is_there(e.second->attempt); }) &&
         std::ranges::none_of(starter_.all(),
                              [&](const auto& e) { return is_there(e.second.attempt); });
}

void Dispatcher::arm_timer() {
  const auto deadline = scheduler_.next_deadline();
  if (!deadline) {
    timer_.cancel();
    return;
  }
  timer_.expires_at(std::chrono::steady_clock::time_point(std::chrono::nanoseconds(deadline->ns)));
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) pump();
  });
}

void Dispatcher::act(const StopAction& action) {
  if (action.reason == StopReason::kCancelled) starter_.cancel(action.item);
  const bool ran = running_.contains(action.item);
  events_.take_all();
  const auto it = running_.find(action.item);
  // An attempt that has just started has its whole time left, or its start cancels it.
  if (!ran || it == running_.end()) return;
  Run& run = *it->second;
  if (!run.all_ended()) return run.end(action.reason);
  if (run.incomplete) run.stop = action.reason;  // so that it is not queued again
}

void Dispatcher::act(const KillAction& action) {
  if (const auto it = running_.find(action.item); it != running_.end()) it->second->kill();
}

void Dispatcher::act(const RefuseAction& action) {
  if (const auto attempt = queue_.take(action.item)) {
    ends_.end_without_process(*attempt, {Skipped{action.reason}});
  }
}

// While results cannot be stored, new attempts would only fill the disk further; running attempts
// are still stopped at their deadlines. While the queue changes, another attempt may become the
// first, and the change itself would disturb a measurement.
bool Dispatcher::may_start(PoolIndex pool) const {
  return gates_.at(pool).is_open() && !starter_.is_preparing(pool) && !queue_.is_changing();
}

void Dispatcher::act(const StartAction& action) {
  if (!may_start(action.pool) || !hooks_.keeps_folder()) return queue_.put_back(action.item);
  auto attempt = queue_.find(action.item);
  if (!attempt) {
    scheduler_.finished(action.item);
    schedule_pump();
    return;
  }
  if (sentinels_.holds_back(*attempt)) return queue_.put_back(action.item);
  // Only before the first of several attempts on an idle machine: loading a worker during a
  // measurement would disturb it, and a single attempt loads for itself in the same time.
  const bool first_of_several = nothing_runs_in(action.pool) && scheduler_.queued(action.pool) > 0;
  if (first_of_several && starter_.prepare(*attempt, action.lease))
    return queue_.put_back(action.item);
  sentinels_.started(*attempt);
  queue_.take(action.item);
  starter_.start(std::move(*attempt), action.lease);
}

Starter::Hooks Dispatcher::start_hooks() {
  Starter::Hooks hooks = ends_.start_hooks();
  hooks.started = [this](Starting starting) { started(std::move(starting)); };
  return hooks;
}

void Dispatcher::started(Starting starting) {
  gates_.at(pool_of_attempt(starting.attempt)).end_trouble();
  const auto run = make_run(std::move(starting.attempt), starting.when);
  if (starting.cancelled && use_of(run->attempt).is_cluster()) run->stop = StopReason::kCancelled;
  const std::int64_t row = run->attempt.row;
  spdlog::info("attempt {} started: {} {} {}", run->attempt.id, run->attempt.workload,
               name_of(run->attempt.pass), label_of(catalog_, run->attempt));
  // Its time runs from here, because the database may have delayed it; in a cluster from its real
  // start.
  scheduler_.finished(row);
  const Duration age =
      starting.began ? std::max(Duration{0}, now_wall() - *starting.began) : Duration{0};
  run->since = starting.began ? steady_time_of(*starting.began) : starting.since;
  scheduler_.adopt(item_of_attempt(run->attempt), run->attempt.lease, now_instant() - age);
  if (starting.cancelled) scheduler_.cancel(row);
  running_.emplace(row, run);
  hooks_.changed();
  schedule_pump();
}

std::shared_ptr<Run> Dispatcher::make_run(OpenAttempt attempt, WallTime started) {
  const PoolUse& use = use_of(attempt);
  std::filesystem::path folder = use.runs / attempt.id;
  PoolFolder& files = folder_of(pool_of_attempt(attempt));
  return std::make_shared<Run>(io_, *use.executor, files, timing_.peer_grace, std::move(attempt),
                               std::move(folder), started);
}

void Dispatcher::pause_devices(const std::vector<PausedDevice>& devices) {
  devices_.set(devices);
  apply_device_pauses();
}

void Dispatcher::apply_device_pauses() {
  std::vector<std::int64_t> back;
  for (const auto& [row, starting] : starter_.all()) {
    if (pool_of_attempt(starting.attempt) == 0 && devices_.has_device_of(starting.attempt))
      back.push_back(row);
  }
  for (const std::int64_t row : back) starter_.withdraw(row);
  scheduler_.pause(0, devices_.for_scheduler());
  hooks_.changed();
  schedule_pump();
}

void Dispatcher::note_trouble() {
  if (std::string now = trouble(); now != told_trouble_) {
    told_trouble_ = std::move(now);
    hooks_.changed();
  }
}

// All ends of ranks are noted before any is acted upon: an end that looks like the cause of the
// others may be their consequence.
void Dispatcher::handle(const std::vector<ExecutorEvent>& events) {
  std::set<std::int64_t> with_ends;
  for (const ExecutorEvent& event : events) {
    if (const auto* started = std::get_if<AttemptStarted>(&event)) {
      starter_.handle(*started);
    } else if (const auto* refused = std::get_if<AttemptNotStarted>(&event)) {
      starter_.handle(*refused);
    } else if (const auto* end = std::get_if<RankEnded>(&event)) {
      if (Run* run = run_of(end->attempt)) {
        run->add_end(end->rank, end->exit);
        with_ends.insert(run->attempt.row);
      }
    } else if (const auto* loaded = std::get_if<WorkerLoaded>(&event)) {
      starter_.handle(*loaded);
      schedule_pump();
    } else if (const auto* lost = std::get_if<AttemptLost>(&event)) {
      handle(*lost);
    } else if (const auto* over = std::get_if<AttemptOver>(&event)) {
      if (Run* run = run_of(over->attempt)) finish_run_after_files(*run);
    }
  }
  for (const std::int64_t row : with_ends) running_.at(row)->end_others();
}

Run* Dispatcher::run_of(const AttemptId& attempt) {
  for (const auto& [row, run] : running_) {
    if (run->attempt.id == attempt) return run.get();
  }
  return nullptr;
}

void Dispatcher::handle(const AttemptLost& event) {
  if (auto starting = starter_.take(event.attempt)) {
    scheduler_.finished(starting->attempt.row);
    return ends_.lose(std::move(starting->attempt), event, starting->cancelled);
  }
  Run* run = run_of(event.attempt);
  if (run == nullptr) return;
  run->lost = event;
  if (event.next_too)
    gates_.at(pool_of_attempt(run->attempt)).close_after_end(describe(event.ending));
  // Ranks without a reported end have also ended.
  for (int rank = 0; rank < run->world_size(); ++rank) {
    const auto is_it = [rank](const EndedRank& ended) { return ended.rank == rank; };
    if (std::ranges::none_of(run->ended, is_it)) run->ended.push_back({rank, {}});
  }
  finish_run_after_files(*run);
}

// Posted, since the code that takes the events may be about to stop the attempt. Earlier requests
// for its files come first.
void Dispatcher::finish_run_after_files(Run& run) {
  folder_of(pool_of_attempt(run.attempt))
      .run([] {},
           [this, row = run.attempt.row] { asio::post(io_, [this, row] { finish_run(row); }); });
}

void Dispatcher::finish_run(std::int64_t row) {
  if (!hooks_.keeps_folder()) return;  // the next daemon on it finds the journal
  ends_.end_run(running_.extract(row).mapped());
}

}  // namespace sweepd
