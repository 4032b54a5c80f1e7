// The part of the dispatcher that starts attempts.
#include <spdlog/spdlog.h>

#include "runner/daemon/attempts/dispatcher.h"
#include "runner/daemon/attempts/item_of.h"

namespace sweepd {

// While nothing can be stored, starting more would only fill the disk further; running attempts are
// still stopped at their deadlines. While the queue changes, another attempt may become the first,
// and the change itself would disturb a measurement.
bool Dispatcher::may_start() const {
  return gate_.is_open() && !starter_.is_preparing() && changes_.empty();
}

void Dispatcher::act(const StartAction& action) {
  if (analytic_.act(action)) return;
  if (!may_start() || !hooks_.keeps_folder()) return put_back(action.item);
  auto attempt = waiting_.find(action.item);
  if (!attempt) {
    scheduler_.finished(action.item);
    schedule_pump();
    return;
  }
  if (sentinels_.holds_back(*attempt)) return put_back(action.item);
  // Only before the first of several attempts on an idle machine: loading a worker during a
  // measurement would disturb it, and a single attempt loads for itself in the same time.
  const bool first_of_several = running_.empty() && starter_.empty() && scheduler_.queued() > 0;
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
    const bool too_many = error.code == ErrorCode::kResourceExhausted;
    start_failed(std::move(attempt), error.message,
                 too_many ? Blame::kPerhapsTheAttempt : Blame::kMachine);
  };
  hooks.not_recorded = [this](OpenAttempt attempt, const Error& error) {
    const std::int64_t row = attempt.row;
    waiting_.add(std::move(attempt));
    put_back(row);
    gate_.close_because("a start cannot be recorded: " + error.message);
    schedule_pump();
  };
  hooks.machines = [this] { return hooks_.machines(); };
  hooks.ended = [this](std::int64_t row) {
    scheduler_.finished(row);
    schedule_pump();
  };
  return hooks;
}

void Dispatcher::started(Starting starting) {
  gate_.end_trouble();
  const auto run = make_run(std::move(starting.attempt), starting.when);
  const std::int64_t row = run->attempt.row;
  spdlog::info("attempt {} started: {} {} {}", run->attempt.id, run->attempt.workload,
               name_of(run->attempt.pass), label_of_attempt(run->attempt));
  // Its time runs from here, because the database may have delayed it.
  scheduler_.finished(row);
  scheduler_.adopt(item_of(catalog_, run->attempt), run->attempt.lease, now_instant());
  if (starting.cancelled) scheduler_.cancel(row);
  running_.emplace(row, run);
  hooks_.changed();
  schedule_pump();
}

// Puts the attempt back as if it had never had a lease. It gets another one when starts resume.
void Dispatcher::put_back(std::int64_t row) {
  scheduler_.finished(row);
  if (const auto attempt = waiting_.find(row)) {
    scheduler_.add(item_of(catalog_, *attempt));
  }
}

}  // namespace sweepd
