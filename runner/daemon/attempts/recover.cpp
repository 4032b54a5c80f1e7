// Recovers the attempts that the previous daemon left open.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "runner/daemon/attempts/dispatcher.h"
#include "runner/daemon/attempts/item_of.h"

namespace sweepd {

Result<void> Dispatcher::recover() {
  const auto read_queue = [](Store& store) { return store.open_attempts(); };
  auto open = writer_.now(read_queue);
  if (!open) return open.error();
  const auto read_devices = [](Store& store) { return store.paused_devices(); };
  const auto devices = writer_.now(read_devices);
  if (!devices) return devices.error();
  if (!devices->empty()) pause_devices(*devices);
  std::vector<OpenAttempt> queued;
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
  for (OpenAttempt& attempt : *open) {
    if (left_queue(attempt)) {
      recover_started(std::move(attempt));
    } else {
      queued.push_back(std::move(attempt));
    }
  }
  enqueue(std::move(queued));
  const auto read_owed = [](Store& store) { return store.owed_sentinels(); };
  const auto owed = writer_.now(read_owed);
  if (!owed) return owed.error();
  sentinels_.queue_owed(*owed);
  // Waits until the database has all attempts that are queued again, before any client can ask.
  const auto all_before = [](Store&) { return true; };
  writer_.now(all_before);
  return {};
}

// A cluster's folder that is missing although attempts are in it is not mounted: nobody makes it
// then, or the new one would hide the old one's results. No start makes one either.
void Dispatcher::make_runs_of_clusters(const std::set<PoolIndex>& used) {
  for (PoolIndex pool = 0; pool < pools_.size(); ++pool) {
    if (!pools_.at(pool).is_cluster() || used.contains(pool)) continue;
    std::error_code error;
    // By the folder of its executor's jobs the next daemon knows it from an empty place to mount.
    std::filesystem::create_directories(pools_.at(pool).runs / "jobs", error);
    if (error) spdlog::warn("{}: {}", pools_.at(pool).runs.string(), error.message());
  }
}

// As after any other end, an attempt that has ended keeps its lease until it is stored.
void Dispatcher::recover_started(OpenAttempt attempt) {
  note_hold(attempt);
  const PoolUse& use = use_of(attempt);
  const int world_size = static_cast<int>(attempt.lease.ranks.size());
  const Adoption found =
      use.executor->adopt(AttemptFolder(use.runs / attempt.id), attempt.id, world_size);
  if (found.waits) {
    spdlog::info("attempt {} waits in pool `{}`", attempt.id, use.pool.name);
    scheduler_.adopt(item_of_attempt(attempt), attempt.lease, std::nullopt);
    const std::int64_t row = attempt.row;
    starter_.resume(std::move(attempt));
    if (held_.contains(row)) starter_.withdraw(row);  // the daemon died before it could
    return;
  }
  const WallTime marked = attempt.started.value_or(attempt.given.value_or(now_wall()));
  const WallTime started = found.started.value_or(marked);
  if (!attempt.started) {  // it started while no daemon ran
    writer_.run(
        [row = attempt.row, started](Store& store) { return store.mark_running(row, started); },
        [](const Result<void>&) {});
  }
  const auto run = make_run(std::move(attempt), started);
  run->adopt(found);
  // The daemon died between the mark and the last process: nothing was measured, so nothing is
  // lost.
  if (run->all_ended() && run->incomplete) return lose_start(std::move(run->attempt));
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
  const Duration age = found.age.value_or(std::max(Duration{0}, now_wall() - started));
  run->since = found.age ? now_instant() - age : steady_time_of(started);
  scheduler_.adopt(item_of_attempt(run->attempt), run->attempt.lease, now_instant() - age);
  if (run->stop == StopReason::kCancelled) scheduler_.cancel(row);
}

}  // namespace sweepd
