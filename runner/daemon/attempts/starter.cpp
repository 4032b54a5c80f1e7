#include "runner/daemon/attempts/starter.h"

#include <system_error>
#include <utility>

#include "runner/base/clock.h"
#include "runner/base/process_age.h"
#include "runner/daemon/attempts/trial_request.h"
#include "runner/wire/attempt_folder.h"
#include "runner/wire/request.h"

namespace sweepd {

Starter::Starter(Writer& writer, const Pools& pools, const Catalog& catalog, Hooks hooks)
    : writer_(writer), pools_(pools), catalog_(catalog), hooks_(std::move(hooks)) {}

const PoolUse& Starter::use_of(const OpenAttempt& attempt) const {
  const WorkloadDef& def = *catalog_.find(attempt.workload);
  return pools_.at(pool_of(pools_, def, attempt.trial).value_or(0));
}

AttemptRequest Starter::request_of(const OpenAttempt& attempt, const Lease& lease) const {
  const WorkloadDef& def = *catalog_.find(attempt.workload);
  AttemptRequest request = trial_request(def, attempt.trial_key, attempt.trial, attempt.pass);
  request.attempt = attempt.id;
  request.repeat = attempt.repeat;
  request.lease = lease;
  const PoolUse& use = use_of(attempt);
  request.host_cores = use.host_cores;
  request.machine = use.machines().of(attempt.trial.text(def, "device"));
  request.version = def.version;
  if (attempt.sweep) request.sweep = *attempt.sweep;
  return request;
}

bool Starter::prepare(const OpenAttempt& attempt, const Lease& lease) {
  const WorkloadDef& def = *catalog_.find(attempt.workload);
  if (!use_of(attempt).executor->prepare(request_of(attempt, lease))) return false;
  preparing_ = pool_of(pools_, def, attempt.trial);
  return true;
}

void Starter::start(OpenAttempt attempt, const Lease& lease) {
  const WallTime when = now_wall();
  const std::int64_t row = attempt.row;
  attempt.lease = lease;
  const bool given = use_of(attempt).is_cluster();
  starting_.emplace(row, Starting{std::move(attempt), when, now_instant()});
  writer_.run(
      [row, when, lease, given](Store& store) {
        return given ? store.mark_given(row, when, lease) : store.mark_started(row, when, lease);
      },
      [this, row](const Result<void>& result) { marked(row, result); });
}

void Starter::resume(OpenAttempt attempt) {
  const std::int64_t row = attempt.row;
  const WallTime when = attempt.given.value_or(now_wall());
  // The clock may have been set since it was given.
  const Duration waited = std::max(Duration{0}, now_wall() - when);
  Starting starting{std::move(attempt), when, now_instant() - waited};
  starting.launched = true;
  starting_.emplace(row, std::move(starting));
}

void Starter::cancel(std::int64_t row) {
  const auto found = starting_.find(row);
  if (found == starting_.end()) return;
  Starting& starting = found->second;
  starting.cancelled = true;
  const PoolUse& use = use_of(starting.attempt);
  if (use.is_cluster() && starting.launched) use.executor->kill(starting.attempt.id);
}

void Starter::withdraw(std::int64_t row) {
  const auto found = starting_.find(row);
  if (found == starting_.end()) return;
  Starting& starting = found->second;
  starting.withdrawn = true;
  if (starting.launched) use_of(starting.attempt).executor->take_back(starting.attempt.id);
}

void Starter::kill_all() {
  for (const auto& [row, starting] : starting_) {
    use_of(starting.attempt).executor->kill(starting.attempt.id);
  }
}

void Starter::marked(std::int64_t row, const Result<void>& marked) {
  if (marked) {
    Starting& starting = starting_.at(row);
    const bool given = use_of(starting.attempt).is_cluster();
    if (given && starting.cancelled) {
      return hooks_.cancelled(starting_.extract(row).mapped().attempt);
    }
    if (starting.withdrawn && !starting.cancelled) {
      return hooks_.withdrawn(std::move(starting_.extract(row).mapped().attempt));
    }
    starting.launched = true;
    const AttemptId id = starting.attempt.id;
    const auto launched = launch(starting.attempt, starting.when);
    if (!launched) hear(AttemptNotStarted{id, launched.error()});
    return;
  }
  OpenAttempt attempt = std::move(starting_.extract(row).mapped().attempt);
  if (marked.error().code == ErrorCode::kFailedPrecondition) return hooks_.ended(row);
  attempt.lease = {};
  hooks_.not_recorded(std::move(attempt), marked.error());
}

Result<void> Starter::launch(const OpenAttempt& attempt, WallTime when) {
  const PoolUse& use = use_of(attempt);
  AttemptRequest request = request_of(attempt, attempt.lease);
  request.started = when;
  request.suspended = suspended_since_boot();
  const AttemptFolder folder(use.runs / attempt.id);
  std::error_code error;
  // An attempt that was queued again after a crash may have left a folder.
  std::filesystem::remove_all(folder.path(), error);
  if (use.is_cluster()) {  // whose `runs` is only missing where it is not mounted
    std::filesystem::create_directory(folder.path(), error);
  } else {
    std::filesystem::create_directories(folder.path(), error);
  }
  if (error) {
    return Error{ErrorCode::kIo,
                 "cannot create " + folder.path().string() + ": " + error.message()};
  }
  if (const auto written = write_request(folder.request(), request); !written) {
    return written.error();
  }
  use.executor->start(folder, request);
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
  auto starting = take(event.attempt);
  if (!starting) return;
  if (use_of(starting->attempt).is_cluster()) {
    starting->when = starting->began.emplace(event.when.value_or(now_wall()));
    starting->attempt.started = starting->when;
    // If this is lost, the next daemon finds out again from the executor.
    writer_.run([row = starting->attempt.row,
                 when = starting->when](Store& store) { return store.mark_running(row, when); },
                [](const Result<void>&) {});
  }
  hooks_.started(std::move(*starting));
}

void Starter::hear(const AttemptNotStarted& event) {
  auto starting = take(event.attempt);
  if (!starting) return;
  if (starting->cancelled && use_of(starting->attempt).is_cluster()) {
    return hooks_.cancelled(starting->attempt);
  }
  // Whatever the reason: it waits for its sweep, not for the pool.
  if (starting->withdrawn && event.error.code != ErrorCode::kFailedPrecondition) {
    return hooks_.withdrawn(std::move(starting->attempt));
  }
  hooks_.failed(std::move(starting->attempt), event.error);
}

}  // namespace sweepd
