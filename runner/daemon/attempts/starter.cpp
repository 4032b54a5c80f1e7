#include "runner/daemon/attempts/starter.h"

#include <system_error>
#include <utility>

#include "runner/base/clock.h"
#include "runner/base/proc.h"
#include "runner/daemon/attempts/trial_request.h"
#include "runner/wire/attempt_folder.h"
#include "runner/wire/request.h"

namespace sweepd {

namespace {

Result<void> write_folder(const AttemptFolder& folder, const AttemptRequest& request, bool shared) {
  std::error_code error;
  // An attempt that was queued again after a crash may have left a folder.
  std::filesystem::remove_all(folder.path(), error);
  if (shared) {  // a cluster's `runs` is missing only if it is not mounted
    std::filesystem::create_directory(folder.path(), error);
  } else {
    std::filesystem::create_directories(folder.path(), error);
  }
  if (error) {
    return Error{ErrorCode::kIo,
                 "cannot create " + folder.path().string() + ": " + error.message()};
  }
  return write_request(folder.request(), request);
}

}  // namespace

Starter::Starter(Writer& writer, const Pools& pools, PoolFolders& folders, const Catalog& catalog,
                 Hooks hooks)
    : writer_(writer),
      pools_(pools),
      folders_(folders),
      catalog_(catalog),
      hooks_(std::move(hooks)) {}

PoolIndex Starter::pool_of_attempt(const OpenAttempt& attempt) const {
  return pool_of(pools_, *catalog_.find(attempt.workload), attempt.trial).value_or(0);
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

void Starter::expect(OpenAttempt attempt) {
  const std::int64_t row = attempt.row;
  const WallTime when = attempt.given.value_or(now_wall());
  // The clock may have been set since it was given.
  const Duration waited = std::max(Duration{0}, now_wall() - when);
  starting_.emplace(row, Starting{std::move(attempt), when, now_instant() - waited});
}

void Starter::resume(std::int64_t row) {
  Starting& starting = starting_.at(row);
  starting.launched = true;
  if (starting.cancelled) return cancel(row);
  if (starting.withdrawn) withdraw(row);
}

void Starter::cancel(std::int64_t row) {
  const auto found = starting_.find(row);
  if (found == starting_.end()) return;
  Starting& starting = found->second;
  starting.cancelled = true;
  const PoolUse& use = use_of(starting.attempt);
  if (!use.is_cluster()) return;
  if (starting.launched) return use.executor->kill(starting.attempt.id);
  if (starting.makes_folder) ends_before_launch(row);
}

void Starter::withdraw(std::int64_t row) {
  const auto found = starting_.find(row);
  if (found == starting_.end()) return;
  Starting& starting = found->second;
  starting.withdrawn = true;
  if (starting.launched) return use_of(starting.attempt).executor->take_back(starting.attempt.id);
  if (starting.makes_folder) ends_before_launch(row);
}

void Starter::kill_all() {
  for (const auto& [row, starting] : starting_) {
    use_of(starting.attempt).executor->kill(starting.attempt.id);
  }
}

void Starter::marked(std::int64_t row, const Result<void>& marked) {
  if (marked) {
    if (!ends_before_launch(row)) make_folder(row);
    return;
  }
  OpenAttempt attempt = std::move(starting_.extract(row).mapped().attempt);
  if (marked.error().code == ErrorCode::kFailedPrecondition) return hooks_.ended(row);
  attempt.lease = {};
  hooks_.not_recorded(std::move(attempt), marked.error());
}

// Returns true if that was requested and is done.
bool Starter::ends_before_launch(std::int64_t row) {
  const Starting& starting = starting_.at(row);
  if (starting.cancelled && use_of(starting.attempt).is_cluster()) {
    hooks_.cancelled(starting_.extract(row).mapped().attempt);
    return true;
  }
  if (!starting.withdrawn || starting.cancelled) return false;
  hooks_.withdrawn(std::move(starting_.extract(row).mapped().attempt));
  return true;
}

// Nothing is given to the pool before its folder has answered, so an attempt that ends or returns
// before that never began there.
void Starter::make_folder(std::int64_t row) {
  Starting& starting = starting_.at(row);
  const OpenAttempt& attempt = starting.attempt;
  const PoolUse& use = use_of(attempt);
  PoolFolder& files = *folders_.at(pool_of_attempt(attempt));
  AttemptRequest request = request_of(attempt, attempt.lease);
  request.started = starting.when;
  request.suspended = suspended_since_boot();
  const AttemptFolder folder(use.runs / attempt.id);
  starting.makes_folder = true;
  starting.number = ++starts_;
  const auto made = std::make_shared<Result<void>>();
  files.run([made, folder, request,
             shared = use.is_cluster()] { *made = write_folder(folder, request, shared); },
            [this, row, number = starting.number, made, folder, request, &files] {
              const auto found = starting_.find(row);
              if (found == starting_.end()) {
                // It ended, or waits again: its next start makes another folder, after this.
                return files.run([folder] {
                  std::error_code ignored;
                  std::filesystem::remove_all(folder.path(), ignored);
                });
              }
              if (found->second.number != number) return;  // it was started again since then
              found->second.makes_folder = false;
              if (!*made) return hear(AttemptNotStarted{request.attempt, made->error()});
              launch(row, folder, request);
            });
}

void Starter::launch(std::int64_t row, const AttemptFolder& folder, const AttemptRequest& request) {
  Starting& starting = starting_.at(row);
  starting.launched = true;
  use_of(starting.attempt).executor->start(folder, request);
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
    // If this is lost, the next daemon gets it from the executor again.
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
  // For any reason: it waits for its sweep, not for the pool.
  if (starting->withdrawn && event.error.code != ErrorCode::kFailedPrecondition) {
    return hooks_.withdrawn(std::move(starting->attempt));
  }
  hooks_.failed(std::move(starting->attempt), event.error);
}

}  // namespace sweepd
