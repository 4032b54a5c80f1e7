// The part of the dispatcher that stores results, as soon as the disk permits.
#include <spdlog/spdlog.h>

#include "runner/daemon/attempts/dispatcher.h"
#include "runner/model/crash_limit.h"

namespace sweepd {

void Dispatcher::end_without_process(const OpenAttempt& attempt, Ending ending) {
  const auto record = std::make_shared<AttemptRecord>();
  record->row = attempt.row;
  record->ending = std::move(ending);
  record->ended = now_wall();
  store_record(attempt, record);
}

// If this fails, or the daemon dies before it, they run, and end like the attempt because of which
// they would be skipped. One that is about to start cannot be marked started then, and does not
// start.
void Dispatcher::skip_attempts(const OpenAttempt& because_of, SkipMethod which) {
  using Attempts = std::vector<Store::SkippedAttempt>;
  const auto work = [because_of, which](Store& store) {
    return (store.*which)(because_of, now_wall());
  };
  writer_.run(work, [this, because_of](const Result<Attempts>& left) {
    if (!left) return spdlog::error("{}", left.error().message);
    if (left->empty()) return;
    spdlog::info("{} attempts left out because of {}: {}", left->size(), because_of.id,
                 describe(left->front().ending));
    std::vector<std::int64_t> rows;
    for (const Store::SkippedAttempt& one : *left) {
      OpenAttempt attempt = because_of;
      attempt.trial = one.trial;
      rows.push_back(one.row);
      hooks_.ended({one.id, one.trial_key, label_of_attempt(attempt), because_of.pass, one.ending});
    }
    forget(std::move(rows));
  });
}

void Dispatcher::store_record(const OpenAttempt& attempt, std::shared_ptr<AttemptRecord> record) {
  // One of a workload that this build lacks belongs to no pool, and has no folder.
  const bool known = catalog_.find(attempt.workload) != nullptr;
  AttemptFolder folder(known ? use_of(attempt).runs / attempt.id : std::filesystem::path());
  PoolFolder* shared =
      known && use_of(attempt).is_cluster() ? &folder_of(pool_of_attempt(attempt)) : nullptr;
  results_.add(attempt, std::move(record), std::move(folder), shared);
}

ResultQueue::Hooks Dispatcher::result_hooks() {
  ResultQueue::Hooks hooks;
  hooks.tried = [this](const OpenAttempt& attempt) {
    scheduler_.finished(attempt.row);
    schedule_pump();
  };
  hooks.refused = [this](const OpenAttempt& attempt, const std::string& why) {
    spdlog::error("cannot store attempt {}: {}; its files are kept, trying again in {}", attempt.id,
                  why, to_human(timing_.store_retry));
    set_trouble("results cannot be stored: " + why);
    close_gates_for(timing_.store_retry);
  };
  hooks.stored = [this](const OpenAttempt& attempt, const Ending& ending, bool is_new) {
    set_trouble("");
    held_.erase(attempt.row);
    cancelled_.erase(attempt.row);
    if (catalog_.find(attempt.workload) != nullptr) sentinels_.ended(attempt);
    if (!is_new) return spdlog::info("attempt {} was stored before", attempt.id);
    const std::string why = describe(ending);
    spdlog::info("attempt {} ended: {}{}{}", attempt.id, name_of(outcome_of(ending)),
                 why.empty() ? "" : ": ", why);
    hooks_.ended({attempt.id, attempt.trial_key, label_of_attempt(attempt), attempt.pass, ending});
    if (outcome_of(ending) == Outcome::kOom) skip_attempts(attempt, &Store::skip_beyond);
    if (killed_its_worker(ending)) skip_attempts(attempt, &Store::skip_killer);
  };
  hooks.recovered = [this] { resume_all_starts(); };
  return hooks;
}

AnalyticQueue::Hooks Dispatcher::analytic_hooks() {
  AnalyticQueue::Hooks hooks;
  hooks.may_start = [this] { return may_start(0); };
  hooks.left = [this](OpenAttempt attempt) {
    queue(attempt);
    waiting_.add(std::move(attempt));
  };
  hooks.stored = [this](const OpenAttempt& attempt, const Ending& ending) {
    held_.erase(attempt.row);
    hooks_.ended({attempt.id, attempt.trial_key, label_of_attempt(attempt), attempt.pass, ending});
  };
  hooks.answered = [this] {
    set_trouble("");
    gates_[0]->has_worked();
    gates_[0]->end_trouble();
  };
  hooks.refused = [this](const std::string& why) {
    spdlog::error("cannot store analytic attempts: {}; trying again in {}", why,
                  to_human(timing_.store_retry));
    set_trouble("results cannot be stored: " + why);
    close_gates_for(timing_.store_retry);
  };
  hooks.no_worker = [this](const std::string& why) {
    set_trouble("");
    gates_[0]->close_because(why);
  };
  hooks.changed = [this] { schedule_pump(); };
  return hooks;
}

// Watchers must see why nothing continues.
void Dispatcher::set_trouble(std::string why) {
  if (why == trouble_) return;
  trouble_ = std::move(why);
  hooks_.changed();
}

}  // namespace sweepd
