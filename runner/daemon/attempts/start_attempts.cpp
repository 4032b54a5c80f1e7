// The part of the dispatcher that starts attempts.
#include <spdlog/spdlog.h>

#include "runner/daemon/attempts/dispatcher.h"
#include "runner/daemon/attempts/item_of.h"

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
  preparing_ = executor_.prepare(request_of(attempt, lease));
  return preparing_;
}

Result<void> Dispatcher::launch(const OpenAttempt& attempt) {
  const AttemptRequest request = request_of(attempt, attempt.lease);
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
  executor_.start(folder, request);
  return {};
}

// While nothing can be stored, starting more would only fill the disk further; running attempts are
// still stopped at their deadlines. While the queue changes, another attempt may become the first,
// and the change itself would disturb a measurement.
bool Dispatcher::may_start() const {
  return gate_.is_open() && !preparing_ && changes_.empty();
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
  if (marked) {
    Starting& starting = starting_.at(row);
    if (const auto launched = launch(starting.attempt); !launched) {
      not_started(starting.attempt.id, launched.error());
    }
    return;
  }
  auto node = starting_.extract(row);
  if (marked.error().code == ErrorCode::kFailedPrecondition) {
    // Cancelled in the meantime: it has ended in the database.
    scheduler_.finished(row);
    return schedule_pump();
  }
  Starting& starting = node.mapped();
  starting.attempt.lease = {};
  waiting_.add(std::move(starting.attempt));
  put_back(row);
  gate_.close_because("a start cannot be recorded: " + marked.error().message);
  schedule_pump();
}

std::optional<Dispatcher::Starting> Dispatcher::take_starting(const AttemptId& attempt) {
  for (auto it = starting_.begin(); it != starting_.end(); ++it) {
    if (it->second.attempt.id != attempt) continue;
    Starting starting = std::move(it->second);
    starting_.erase(it);
    return starting;
  }
  return std::nullopt;
}

void Dispatcher::started_all_ranks(const AttemptId& id) {
  auto starting = take_starting(id);
  if (!starting) return;
  gate_.end_trouble();
  const auto run = make_run(std::move(starting->attempt), starting->when);
  const std::int64_t row = run->attempt.row;
  spdlog::info("attempt {} started: {} {} {}", id, run->attempt.workload,
               name_of(run->attempt.pass), label_of_attempt(run->attempt));
  // Its time runs from here, because the database may have delayed it.
  scheduler_.finished(row);
  scheduler_.adopt(item_of(catalog_, run->attempt), run->attempt.lease, now_instant());
  if (starting->cancelled) scheduler_.cancel(row);
  running_.emplace(row, run);
  hooks_.changed();
  schedule_pump();
}

void Dispatcher::not_started(const AttemptId& id, const Error& error) {
  auto starting = take_starting(id);
  if (!starting) return;
  scheduler_.finished(starting->attempt.row);
  const bool too_many = error.code == ErrorCode::kResourceExhausted;
  start_failed(std::move(starting->attempt), error.message,
               too_many ? Blame::kPerhapsTheAttempt : Blame::kMachine);
}

// Puts the attempt back as if it had never had a lease. It gets another one when starts resume.
void Dispatcher::put_back(std::int64_t row) {
  scheduler_.finished(row);
  if (const auto attempt = waiting_.find(row)) {
    scheduler_.add(item_of(catalog_, *attempt));
  }
}

}  // namespace sweepd
