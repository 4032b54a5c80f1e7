// The part of the dispatcher that starts attempts.
#include <spdlog/spdlog.h>

#include "runner/daemon/attempts/dispatcher.h"
#include "runner/daemon/attempts/item_of.h"

namespace sweepd {

// While results cannot be stored, new attempts would only fill the disk further; running attempts
// are still stopped at their deadlines. While the queue changes, another attempt may become the
// first, and the change itself would disturb a measurement.
bool Dispatcher::may_start(PoolIndex pool) const {
  return gates_[pool]->is_open() && !starter_.is_preparing(pool) && changes_.empty();
}

void Dispatcher::act(const StartAction& action) {
  if (!may_start(action.pool) || !hooks_.keeps_folder()) return put_back(action.item);
  auto attempt = waiting_.find(action.item);
  if (!attempt) {
    scheduler_.finished(action.item);
    schedule_pump();
    return;
  }
  if (sentinels_.holds_back(*attempt)) return put_back(action.item);
  // Only before the first of several attempts on an idle machine: loading a worker during a
  // measurement would disturb it, and a single attempt loads for itself in the same time.
  const bool first_of_several = nothing_runs_in(action.pool) && scheduler_.queued(action.pool) > 0;
  if (first_of_several && starter_.prepare(*attempt, action.lease)) return put_back(action.item);
  sentinels_.started(*attempt);
  waiting_.erase(action.item);
  starter_.start(std::move(*attempt), action.lease);
}

Starter::Hooks Dispatcher::start_hooks() {
  Starter::Hooks hooks;
  hooks.started = [this](Starting starting) { started(std::move(starting)); };
  hooks.failed = [this](OpenAttempt attempt, const Error& error) {
    scheduler_.finished(attempt.row);
    if (error.code == ErrorCode::kFailedPrecondition) {
      end_without_process(attempt, {Skipped{error.message}});
      return schedule_pump();
    }
    const bool too_many = error.code == ErrorCode::kResourceExhausted;
    start_failed(std::move(attempt), error.message,
                 too_many ? Blame::kPerhapsTheAttempt : Blame::kMachine);
  };
  hooks.cancelled = [this](const OpenAttempt& attempt) {
    scheduler_.finished(attempt.row);
    end_without_process(attempt, {Cancelled{"cancelled"}});
    schedule_pump();
  };
  hooks.withdrawn = [this](OpenAttempt attempt) {
    scheduler_.finished(attempt.row);
    queue_again(std::move(attempt));
    schedule_pump();
  };
  hooks.not_recorded = [this](OpenAttempt attempt, const Error& error) {
    const std::int64_t row = attempt.row;
    StartBackoff& gate = gate_of(attempt);
    waiting_.add(std::move(attempt));
    put_back(row);
    gate.close_because("a start cannot be recorded: " + error.message);
    schedule_pump();
  };
  hooks.ended = [this](std::int64_t row) {
    scheduler_.finished(row);
    held_.erase(row);
    schedule_pump();
  };
  return hooks;
}

void Dispatcher::started(Starting starting) {
  gate_of(starting.attempt).end_trouble();
  const auto run = make_run(std::move(starting.attempt), starting.when);
  if (starting.cancelled && use_of(run->attempt).is_cluster()) run->stop = StopReason::kCancelled;
  const std::int64_t row = run->attempt.row;
  spdlog::info("attempt {} started: {} {} {}", run->attempt.id, run->attempt.workload,
               name_of(run->attempt.pass), label_of_attempt(run->attempt));
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

}  // namespace sweepd
