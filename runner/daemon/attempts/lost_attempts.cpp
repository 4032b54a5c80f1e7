// The part of the dispatcher for attempts that were lost: their pool took them away, because a node
// failed or a user cancelled the job; or the daemon died while it started them.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "runner/daemon/attempts/dispatcher.h"

namespace sweepd {

Ending Dispatcher::ending_of(const AttemptLost& event, int losses) {
  if (!event.again) return event.ending;
  const std::string& what = event.what.empty() ? describe(event.ending) : event.what;
  return {Failed{fmt::format("its pool took it away {} times; the last time: {}", losses + 1, what),
                 ""}};
}

void Dispatcher::lose(const AttemptLost& event) {
  if (auto starting = starter_.take(event.attempt)) {
    scheduler_.finished(starting->attempt.row);
    return lose(std::move(starting->attempt), event, starting->cancelled);
  }
  Run* run = run_of(event.attempt);
  if (run == nullptr) return;
  run->lost = event;
  if (event.next_too) gate_of(run->attempt).close_after_end(describe(event.ending));
  // Ranks without a reported end have also ended.
  for (int rank = 0; rank < run->world_size(); ++rank) {
    const auto is_it = [rank](const EndedRank& ended) { return ended.rank == rank; };
    if (std::ranges::none_of(run->ended, is_it)) run->ended.push_back({rank, {}});
  }
  finish_run_after_files(*run);  // its journals decide whether it was done
}

void Dispatcher::lose(OpenAttempt attempt, const AttemptLost& event, bool cancelled) {
  schedule_pump();  // its place in the pool is free
  if (event.next_too) gate_of(attempt).close_after_end(describe(event.ending));
  if (cancelled) return end_without_process(attempt, {Cancelled{"cancelled"}});
  if (!event.again || attempt.losses >= kMostLosses) {
    return end_without_process(attempt, ending_of(event, attempt.losses));
  }
  begin_again(std::move(attempt), event.what.empty() ? describe(event.ending) : event.what);
}

void Dispatcher::lose_start(OpenAttempt attempt) {
  if (attempt.losses + 1 >= kMostLostStarts) {
    return end_without_process(
        attempt, {Failed{fmt::format("the daemon died {} times while it started this attempt",
                                     attempt.losses + 1),
                         ""}});
  }
  begin_again(std::move(attempt), "the daemon died while it started this attempt");
}

void Dispatcher::begin_again(OpenAttempt attempt, const std::string& what) {
  spdlog::warn("attempt {} is lost: {}", attempt.id, what);
  writer_.run([row = attempt.row, what,
               now = now_wall()](Store& store) { return store.record_loss(row, now, what); },
              [id = attempt.id](const Result<void>& recorded) {
                if (!recorded) spdlog::error("attempt {}: {}", id, recorded.error().message);
              });
  ++attempt.losses;
  queue_again(std::move(attempt));
}

}  // namespace sweepd
