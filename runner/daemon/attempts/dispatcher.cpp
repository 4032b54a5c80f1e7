#include "runner/daemon/attempts/dispatcher.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <iterator>
#include <set>
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
      journals_(io),
      folders_(make_pool_folders(io, journals_, pools_)),
      scheduler_(pools_.for_scheduler(), timing.grace),
      waiting_(catalog),
      starter_(writer, pools_, folders_, catalog, start_hooks()),
      changes_(io, journals_, change_hooks()),
      sentinels_(writer, catalog, sentinel_hooks()),
      results_(writer, journals_, result_hooks()),
      timer_(io) {
  for (PoolIndex pool = 0; pool < pools_.size(); ++pool) {
    gates_.push_back(std::make_unique<StartBackoff>(
        io, Backoff(timing.start_retry, timing.start_retry_most),
        Backoff(timing.lasting_retry, timing.lasting_retry_most),
        [this, pool] { resume_starts(pool); }, [this] { hooks_.changed(); }));
    executor_events_.emplace_back(io, ::dup(pools_.at(pool).executor->descriptor()));
  }
  for (PoolIndex pool = 0; pool < pools_.size(); ++pool) wait_for_events(pool);
}

Dispatcher::~Dispatcher() = default;

std::string Dispatcher::label_of_attempt(const OpenAttempt& attempt) const {
  const WorkloadDef* def = catalog_.find(attempt.workload);
  if (def == nullptr) return attempt.workload;
  return attempt.axes ? label_of(*def, attempt.trial, *attempt.axes)
                      : label_of(*def, attempt.trial);
}

PoolIndex Dispatcher::pool_of_attempt(const OpenAttempt& attempt) const {
  return pool_of(pools_, *catalog_.find(attempt.workload), attempt.trial).value_or(0);
}

Item Dispatcher::item_of_attempt(const OpenAttempt& attempt) const {
  return item_of(catalog_, attempt, pool_of_attempt(attempt));
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
    if (const auto attempt = waiting_.take(row)) {
      parked_.erase(row);
      end_without_process(*attempt, {Cancelled{"cancelled"}});
    } else {
      cancelled_.insert(row);
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
  if (nothing_wants_to_start()) {  // no attempt is left to show the trouble
    for (const auto& gate : gates_) gate->end_trouble();
  }
  if (scheduler_.queued() == 0) writer_.rest();
}

bool Dispatcher::is_idle() const {
  return running_.empty() && starter_.empty() && journals_.pending() == 0 && unread_.empty() &&
         results_.empty();
}

// The next daemon reads journals that cannot be read now. A cluster continues without a daemon,
// perhaps for hours; the next one finds its results.
bool Dispatcher::may_end() const {
  if (measures_here()) return false;
  return journals_.pending() == 0 && results_.empty();
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
  for (PoolIndex pool = 0; pool < pools_.size(); ++pool) take_events(pool);  // it may have ended
  const auto it = running_.find(action.item);
  // An attempt that has just started has its whole time left, or its start cancels it.
  if (!ran || it == running_.end()) return;
  Run& run = *it->second;
  if (!run.all_ended()) return run.end(action.reason);
  if (run.incomplete) run.stop = action.reason;  // so that it is not queued again
}

void Dispatcher::act(const KillAction& action) {
  const auto it = running_.find(action.item);
  if (it != running_.end()) it->second->kill();
}

void Dispatcher::act(const RefuseAction& action) {
  if (const auto attempt = waiting_.take(action.item)) {
    end_without_process(*attempt, {Skipped{action.reason}});
  }
}

void Dispatcher::wait_for_events(PoolIndex pool) {
  executor_events_[pool].async_wait(asio::posix::stream_descriptor::wait_read,
                                    [this, pool](const boost::system::error_code& error) {
                                      if (error) return;
                                      take_events(pool);
                                      if (std::string now = trouble(); now != told_trouble_) {
                                        told_trouble_ = std::move(now);
                                        hooks_.changed();
                                      }
                                      wait_for_events(pool);
                                    });
}

// All ends of ranks are noted before any is acted upon: an end that looks like the cause of the
// others may be their consequence.
void Dispatcher::take_events(PoolIndex pool) {
  std::vector<ExecutorEvent> events = pools_.at(pool).executor->events();
  const auto adopting = adopting_.find(pool);
  if (adopting == adopting_.end()) return hear(events);
  // Of attempts that are not known yet.
  std::ranges::move(events, std::back_inserter(adopting->second.events));
}

void Dispatcher::hear(const std::vector<ExecutorEvent>& events) {
  std::set<std::int64_t> with_ends;
  for (const ExecutorEvent& event : events) {
    if (const auto* started = std::get_if<AttemptStarted>(&event)) {
      starter_.hear(*started);
    } else if (const auto* refused = std::get_if<AttemptNotStarted>(&event)) {
      starter_.hear(*refused);
    } else if (const auto* end = std::get_if<RankEnded>(&event)) {
      if (Run* run = run_of(end->attempt)) {
        run->add_end(end->rank, end->exit);
        with_ends.insert(run->attempt.row);
      }
    } else if (const auto* loaded = std::get_if<WorkerLoaded>(&event)) {
      starter_.hear(*loaded);
      schedule_pump();
    } else if (const auto* lost = std::get_if<AttemptLost>(&event)) {
      lose(*lost);
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

}  // namespace sweepd
