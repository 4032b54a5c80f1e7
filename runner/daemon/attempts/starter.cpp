#include "runner/daemon/attempts/starter.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "runner/base/clock.h"
#include "runner/model/program.h"
#include "runner/wire/attempt_folder.h"
#include "runner/wire/request.h"

namespace sweepd {

Starter::Starter(Writer& writer, Executor& executor, const Catalog& catalog,
                 std::int64_t host_cores, std::filesystem::path runs, Hooks hooks)
    : writer_(writer),
      executor_(executor),
      catalog_(catalog),
      host_cores_(host_cores),
      runs_(std::move(runs)),
      hooks_(std::move(hooks)) {}

AttemptRequest Starter::request_of(const OpenAttempt& attempt, const Lease& lease) const {
  const WorkloadDef& def = *catalog_.find(attempt.workload);
  AttemptRequest request;
  request.attempt = attempt.id;
  request.trial = attempt.trial_key;
  request.workload = attempt.workload;
  request.pass = attempt.pass;
  request.repeat = attempt.repeat;
  // A sweep that was submitted a moment ago may have given the program more parameters.
  const std::size_t known = std::min(def.params.size(), attempt.trial.values.size());
  for (std::size_t i = 0; i < known; ++i) {
    request.params.emplace_back(def.params[i].name, def.params[i].text(attempt.trial.values[i]));
  }
  request.lease = lease;
  if (!def.base.empty()) request.program = declaration_of(def);
  request.host_cores = host_cores_;
  request.machine = hooks_.machines().of(attempt.trial.text(def, "device"));
  return request;
}

bool Starter::prepare(const OpenAttempt& attempt, const Lease& lease) {
  preparing_ = executor_.prepare(request_of(attempt, lease));
  return preparing_;
}

void Starter::start(OpenAttempt attempt, const Lease& lease) {
  const WallTime when = now_wall();
  const std::int64_t row = attempt.row;
  attempt.lease = lease;
  starting_.emplace(row, Starting{std::move(attempt), when, false});
  writer_.run([row, when, lease](Store& store) { return store.mark_started(row, when, lease); },
              [this, row](const Result<void>& result) { marked(row, result); });
}

void Starter::cancel(std::int64_t row) {
  const auto found = starting_.find(row);
  if (found != starting_.end()) found->second.cancelled = true;
}

void Starter::kill_all() {
  for (const auto& [row, starting] : starting_) executor_.kill(starting.attempt.id);
}

void Starter::marked(std::int64_t row, const Result<void>& marked) {
  if (marked) {
    const OpenAttempt& attempt = starting_.at(row).attempt;
    const auto launched = launch(attempt);
    if (!launched) hear(AttemptNotStarted{attempt.id, launched.error()});
    return;
  }
  OpenAttempt attempt = std::move(starting_.extract(row).mapped().attempt);
  if (marked.error().code == ErrorCode::kFailedPrecondition) return hooks_.ended(row);
  attempt.lease = {};
  hooks_.not_recorded(std::move(attempt), marked.error());
}

Result<void> Starter::launch(const OpenAttempt& attempt) {
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

std::optional<Starting> Starter::take(const AttemptId& attempt) {
  for (auto it = starting_.begin(); it != starting_.end(); ++it) {
    if (it->second.attempt.id != attempt) continue;
    Starting starting = std::move(it->second);
    starting_.erase(it);
    return starting;
  }
  return std::nullopt;
}

void Starter::hear(const AttemptStarted& event) {
  if (auto starting = take(event.attempt)) hooks_.started(std::move(*starting));
}

void Starter::hear(const AttemptNotStarted& event) {
  if (auto starting = take(event.attempt)) {
    hooks_.failed(std::move(starting->attempt), event.error);
  }
}

}  // namespace sweepd
