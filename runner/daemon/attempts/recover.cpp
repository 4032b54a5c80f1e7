// Recovers the attempts that the previous daemon left open.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "runner/daemon/attempts/dispatcher.h"
#include "runner/daemon/attempts/item_of.h"

namespace sweepd {
namespace {

// With a cluster's folder, before the daemon answers clients.
constexpr Duration kPatience = seconds(2);

}  // namespace

Result<void> Dispatcher::recover() {
  const auto read_queue = [](Store& store) { return store.open_attempts(); };
  auto open = writer_.now(read_queue);
  if (!open) return open.error();
  const auto read_devices = [](Store& store) { return store.paused_devices(); };
  const auto devices = writer_.now(read_devices);
  if (!devices) return devices.error();
  if (!devices->empty()) pause_devices(*devices);
  std::vector<OpenAttempt> queued, unanswered;
  const auto left_queue = [this](const OpenAttempt& attempt) -> std::optional<PoolIndex> {
    const WorkloadDef* def = catalog_.find(attempt.workload);
    if (def == nullptr || !(attempt.started || attempt.given)) return std::nullopt;
    return pool_of(pools_, *def, attempt.trial);
  };
  std::set<PoolIndex> used;
  for (const OpenAttempt& attempt : *open) {
    if (const auto pool = left_queue(attempt)) used.insert(*pool);
  }
  make_runs_of_clusters(used);
  // No command could end an attempt without a sweep.
  std::vector<std::int64_t> of_no_sweep;
  for (OpenAttempt& attempt : *open) {
    if (!attempt.sweep) spdlog::warn("attempt {} has no sweep and is cancelled", attempt.id);
    if (const auto pool = left_queue(attempt)) {
      if (!attempt.sweep) of_no_sweep.push_back(attempt.row);
      queue_.note_hold(attempt);
      pools_.at(*pool).is_cluster() ? recover_in_cluster(std::move(attempt))
                                    : recover_started(std::move(attempt));
    } else if (attempt.sweep) {
      const WorkloadDef* def = catalog_.find(attempt.workload);
      const bool is_analytic = def != nullptr && def->analytic;
      (is_analytic ? unanswered : queued).push_back(std::move(attempt));
    } else {
      ends_.end_without_process(attempt, {Cancelled{"no sweep has it"}});
    }
  }
  enqueue(std::move(queued));
  hooks_.unanswered(std::move(unanswered));
  stop(of_no_sweep);
  const auto read_owed = [](Store& store) { return store.owed_sentinels(); };
  const auto owed = writer_.now(read_owed);
  if (!owed) return owed.error();
  sentinels_.queue_owed(*owed);
  // So that clients see the clusters' attempts, unless a folder does not answer.
  for (const auto& folder : folders_) folder->wait(kPatience);
  // Waits until the database has all attempts that are queued again, before any client can ask.
  const auto all_before = [](Store&) { return true; };
  writer_.now(all_before);
  return {};
}

// If a cluster's folder is missing although it has attempts, it is not mounted. It is not created
// then, also not by a start, since a new one would hide the old results.
void Dispatcher::make_runs_of_clusters(const std::set<PoolIndex>& used) {
  for (PoolIndex pool = 0; pool < pools_.size(); ++pool) {
    if (!pools_.at(pool).is_cluster() || used.contains(pool)) continue;
    folder_of(pool).run([runs = pools_.at(pool).runs] {
      std::error_code error;
      // The executor's folder of jobs distinguishes it from an empty mount point for the next
      // daemon.
      std::filesystem::create_directories(runs / "jobs", error);
      if (error) spdlog::warn("{}: {}", runs.string(), error.message());
    });
  }
}

void Dispatcher::recover_started(OpenAttempt attempt) {
  const PoolUse& use = use_of(attempt);
  const AttemptFolder folder(use.runs / attempt.id);
  const int world_size = static_cast<int>(attempt.lease.ranks.size());
  FoundRun found{use.executor->adopt(folder, attempt.id, world_size), read_run_note(folder)};
  resume_run(std::move(attempt), found);
}

// It counts as given until the folder has answered.
void Dispatcher::recover_in_cluster(OpenAttempt attempt) {
  const PoolIndex pool = pool_of_attempt(attempt);
  const PoolUse& use = pools_.at(pool);
  scheduler_.adopt(item_of_attempt(attempt), attempt.lease, std::nullopt);
  events_.begin_adoption(pool);
  const auto found = std::make_shared<FoundRun>();
  folder_of(pool).run(
      [found, executor = use.executor, folder = AttemptFolder(use.runs / attempt.id),
       id = attempt.id, world_size = static_cast<int>(attempt.lease.ranks.size())] {
        *found = {executor->adopt(folder, id, world_size), read_run_note(folder)};
      },
      [this, pool, row = attempt.row, id = attempt.id, found] {
        found_in_cluster(pool, row, id, *found);
      });
  starter_.expect(std::move(attempt));
}

void Dispatcher::found_in_cluster(PoolIndex pool, std::int64_t row, const AttemptId& id,
                                  const FoundRun& found) {
  if (found.adoption.waits) {
    spdlog::info("attempt {} waits in pool `{}`", id, pools_.at(pool).pool.name);
    starter_.resume(row);
    if (queue_.is_held(row)) starter_.withdraw(row);  // the daemon died before it could
  } else if (auto starting = starter_.take(id)) {
    scheduler_.finished(row);
    resume_run(std::move(starting->attempt), found);
    if (starting->cancelled) scheduler_.cancel(row);
    hooks_.changed();
    schedule_pump();
  }
  events_.end_adoption(pool);
}

// As after any other end, an attempt that has ended keeps its lease until it is stored.
void Dispatcher::resume_run(OpenAttempt attempt, const FoundRun& found) {
  const Adoption& adoption = found.adoption;
  const WallTime marked = attempt.started.value_or(attempt.given.value_or(now_wall()));
  const WallTime started = adoption.started.value_or(marked);
  if (!attempt.started) {  // it started while no daemon ran
    writer_.run(
        [row = attempt.row, started](Store& store) { return store.mark_running(row, started); },
        [](const Result<void>&) {});
  }
  const auto run = make_run(std::move(attempt), started);
  run->adopt(adoption, found.note);
  // The daemon died between the mark and the last process: nothing was measured or lost.
  if (run->all_ended() && run->incomplete) return ends_.lose_start(std::move(run->attempt));
  const std::int64_t row = run->attempt.row;
  running_.emplace(row, run);
  sentinels_.opened(run->attempt);
  sentinels_.started(run->attempt);
  const int alive = run->world_size() - static_cast<int>(run->ended.size());
  if (alive == 0) {
    spdlog::info("attempt {} ended while no daemon ran", run->attempt.id);
    return scheduler_.adopt(item_of_attempt(run->attempt), run->attempt.lease, now_instant());
  }
  spdlog::info("attempt {} adopted: {} of {} ranks run", run->attempt.id, alive, run->world_size());
  // The clock may have been set since it started.
  const Duration age = adoption.age.value_or(std::max(Duration{0}, now_wall() - started));
  run->since = adoption.age ? now_instant() - age : steady_time_of(started);
  scheduler_.adopt(item_of_attempt(run->attempt), run->attempt.lease, now_instant() - age);
  if (run->stop == StopReason::kCancelled) scheduler_.cancel(row);
}

}  // namespace sweepd
