// The part of the dispatcher that starts attempts.
#include <spdlog/spdlog.h>

#include "runner/daemon/dispatcher.h"
#include "runner/daemon/run.h"

namespace sweepd {

AttemptRequest Dispatcher::request_of(const OpenAttempt& attempt, const Lease& lease) const {
  const WorkloadDef& def = *catalog_.find(attempt.workload);
  AttemptRequest request;
  request.attempt = attempt.id;
  request.trial = attempt.trial_key;
  request.workload = attempt.workload;
  request.pass = attempt.pass;
  request.repeat = attempt.repeat;
  for (std::size_t i = 0; i < def.params.size(); ++i) {
    request.params.emplace_back(def.params[i].name, def.params[i].text(attempt.trial.values[i]));
  }
  request.lease = lease;
  return request;
}

// Preloads only before the first of several attempts on an idle machine: loading during a
// measurement would disturb it, and a single attempt loads for itself in the same time.
bool Dispatcher::preload(const OpenAttempt& attempt, const Lease& lease) {
  if (!running_.empty() || !starting_.empty() || scheduler_.queued() == 0) return false;
  return preloader_.begin(request_of(attempt, lease));
}

Result<std::vector<RankProcess>> Dispatcher::launch(const OpenAttempt& attempt,
                                                    const Lease& lease) {
  const AttemptRequest request = request_of(attempt, lease);
  const AttemptFolder folder(runs_ / attempt.id);
  std::error_code error;
  // An attempt that was queued again after a crash may have left a folder.
  std::filesystem::remove_all(folder.path(), error);
  std::filesystem::create_directories(folder.path(), error);
  if (error) {
    return Error{ErrorCode::kIo,
                 "cannot create " + folder.path().string() + ": " + error.message()};
  }
  if (const auto written = write_request(folder.request(), request); !written) {
    return written.error();
  }
  return executor_.start(folder, request);
}

void Dispatcher::act(const StartAction& action) {
  if (action.item == offered_) return start_batch(action);
  // While nothing can be stored, starting more would only fill the disk further; running attempts
  // are still stopped at their deadlines. While the queue changes, another attempt may become the
  // first, and the change itself would disturb a measurement.
  if (starts_paused_ || preloader_.is_loading() || !changes_.empty() || !hooks_.keeps_folder()) {
    return put_back(action.item);
  }
  auto attempt = waiting_.find(action.item);
  if (!attempt) {
    scheduler_.finished(action.item);
    schedule_pump();
    return;
  }
  if (preload(*attempt, action.lease)) return put_back(action.item);
  waiting_.erase(action.item);
  attempt->lease = action.lease;
  const WallTime when = now_wall();
  starting_.emplace(action.item, Starting{std::move(*attempt), when, false});
  writer_.run(
      [row = action.item, when, lease = action.lease](Store& store) {
        return store.mark_started(row, when, lease);
      },
      [this, row = action.item](const Result<void>& marked) { marked_started(row, marked); });
}

void Dispatcher::marked_started(std::int64_t row, const Result<void>& marked) {
  auto node = starting_.extract(row);
  Starting& starting = node.mapped();
  if (!marked && marked.error().code == ErrorCode::kFailedPrecondition) {
    // Cancelled in the meantime: it has ended in the database.
    scheduler_.finished(row);
    schedule_pump();
    return;
  }
  if (!marked) {
    starting.attempt.lease = {};
    waiting_.add(std::move(starting.attempt));
    put_back(row);
    pause_for("a start cannot be recorded: " + marked.error().message);
    return schedule_pump();
  }
  AttemptFolder folder(runs_ / starting.attempt.id);
  auto run = std::make_unique<Run>(std::move(starting.attempt), std::move(folder));
  run->started = starting.when;
  auto ranks = launch(run->attempt, run->attempt.lease);
  if (!ranks) {
    scheduler_.finished(row);
    const bool too_many = ranks.error().code == ErrorCode::kResourceExhausted;
    return start_failed(std::move(run->attempt), ranks.error().message,
                        too_many ? Blame::kPerhapsTheAttempt : Blame::kMachine);
  }
  starts_work();
  spdlog::info("attempt {} started: {} {} {}", run->attempt.id, run->attempt.workload,
               name_of(run->attempt.pass), label_of_attempt(run->attempt));
  // Its time runs from here, because the database may have delayed it.
  scheduler_.finished(row);
  scheduler_.adopt(item_of(run->attempt), run->attempt.lease, now_instant());
  if (starting.cancelled) scheduler_.cancel(row);
  run->ranks = std::move(*ranks);
  Run& placed = *running_.emplace(row, std::move(run)).first->second;
  for (std::size_t i = 0; i < placed.ranks.size(); ++i) watch_rank(placed, i);
  hooks_.changed();
  schedule_pump();
}

// Puts the attempt back as if it had never had a lease. It gets another one when starts resume.
void Dispatcher::put_back(std::int64_t row) {
  scheduler_.finished(row);
  if (const auto attempt = waiting_.find(row)) {
    scheduler_.add(item_of(*attempt));
  }
}

}  // namespace sweepd
