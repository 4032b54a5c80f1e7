// Recovers the attempts that the previous daemon left open.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <thread>

#include "runner/daemon/dispatcher.h"
#include "runner/daemon/run.h"

namespace sweepd {

Result<void> Dispatcher::recover() {
  const auto read_queue = [](Store& store) { return store.open_attempts(); };
  auto open = writer_.now(read_queue);
  if (!open) return open.error();
  std::vector<OpenAttempt> queued;
  for (OpenAttempt& attempt : *open) {
    if (attempt.started && catalog_.find(attempt.workload) != nullptr) {
      recover_started(std::move(attempt));
    } else {
      queued.push_back(std::move(attempt));
    }
  }
  enqueue(std::move(queued));
  // Waits until the database has all attempts that are queued again, before any client can ask.
  const auto all_before = [](Store&) { return true; };
  writer_.now(all_before);
  return {};
}

void Dispatcher::recover_started(OpenAttempt attempt) {
  AttemptFolder folder(runs_ / attempt.id);
  auto run = std::make_unique<Run>(std::move(attempt), std::move(folder));
  run->started = *run->attempt.started;
  const int world_size = static_cast<int>(run->attempt.lease.ranks.size());
  Adoption adoption = executor_.adopt(run->folder, world_size);
  run->ranks = std::move(adoption.alive);
  run->incomplete = adoption.incomplete || world_size == 0;
  std::vector<bool> alive(static_cast<std::size_t>(world_size), false);
  for (const RankProcess& rank : run->ranks) alive[static_cast<std::size_t>(rank.rank)] = true;
  for (int rank = 0; rank < world_size; ++rank) {
    if (!alive[static_cast<std::size_t>(rank)]) run->ended.push_back({rank, {}});
  }
  if (!run->ranks.empty()) return adopt_run(std::move(run));
  // The daemon died between the mark and the last process: nothing was measured, so nothing is
  // lost.
  if (run->incomplete) return queue_again(std::move(run->attempt));
  spdlog::info("attempt {} ended while no daemon ran", run->attempt.id);
  for (int look = 0; look < timing_.most_clears && executor_.clear(run->attempt.id, {}); ++look) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(timing_.clear_interval.ns));
  }
  // As after any other end, it keeps its lease until it is stored.
  scheduler_.adopt(item_of(run->attempt), run->attempt.lease, now_instant());
  read_journals(std::move(run));
}

void Dispatcher::adopt_run(std::unique_ptr<Run> run) {
  spdlog::info("attempt {} adopted: {} of {} ranks run", run->attempt.id, run->ranks.size(),
               run->attempt.lease.ranks.size());
  const Duration age = now_wall() - run->started;
  scheduler_.adopt(item_of(run->attempt), run->attempt.lease, now_instant() - age);
  const std::int64_t row = run->attempt.row;
  Run& placed = *running_.emplace(row, std::move(run)).first->second;
  // Dead ranks get an entry without a process, so that ended.size() and ranks.size() can be
  // compared.
  for (const EndedRank& ended : placed.ended) {
    RankProcess gone;
    gone.rank = ended.rank;
    placed.ranks.push_back(std::move(gone));
  }
  for (std::size_t i = 0; i < placed.ranks.size(); ++i) {
    if (placed.ranks[i].pidfd) watch_rank(placed, i);
  }
  // The ranks wait for others that will never come.
  if (placed.incomplete) return placed.kill(executor_);
  // Does what the previous daemon would have done when that rank died.
  const bool all_well =
      std::all_of(placed.ended.begin(), placed.ended.end(),
                  [&](const EndedRank& ended) { return ended_well(placed, ended); });
  if (!all_well) end_other_ranks(placed);
}

}  // namespace sweepd
