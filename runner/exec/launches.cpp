#include "runner/exec/launches.h"

#include <algorithm>
#include <utility>

namespace sweepd {

void Launches::add(const AttemptFolder& folder, const AttemptRequest& request) {
  if (auto forked = processes_.fork_loaded(folder, request)) {
    std::vector<RankProcess> ranks;
    ranks.push_back(std::move(*forked));
    outcomes_.push_back({request.attempt, std::move(ranks)});
    return;
  }
  launches_.push_back({++last_ticket_, folder, request});
  spawn_next(launches_.back());
}

// It ends after the rank that is being spawned has come.
bool Launches::kill(const AttemptId& attempt) {
  for (Launch& launch : launches_) {
    if (launch.request.attempt == attempt) return launch.killed = true;
  }
  return false;
}

void Launches::go_on() {
  for (Spawner::Done& done : spawner_.take()) {
    const auto launch = std::ranges::find(launches_, done.ticket, &Launch::ticket);
    go_on(*launch, std::move(done.spawned));
  }
}

void Launches::spawn_next(Launch& launch) {
  spawner_.spawn(launch.ticket, processes_.plan(launch.folder, launch.request, launch.next()));
}

void Launches::go_on(Launch& launch, Result<Spawned> spawned) {
  const int rank = launch.next();
  if (!spawned) return give_up(launch, error_of_start(launch.request, rank, spawned.error()));
  launch.ranks.push_back(process_of(rank, std::move(*spawned)));
  if (launch.killed) {
    return give_up(launch, {ErrorCode::kUnavailable, "killed before all ranks ran"});
  }
  if (!launch.is_complete()) return spawn_next(launch);
  finish(launch, std::move(launch.ranks));
}

void Launches::give_up(Launch& launch, Error why) {
  processes_.abandon(launch.folder, launch.ranks);
  finish(launch, std::move(why));
}

void Launches::finish(Launch& launch, Result<std::vector<RankProcess>> ranks) {
  outcomes_.push_back({launch.request.attempt, std::move(ranks)});
  launches_.remove_if([&launch](const Launch& other) { return &other == &launch; });
}

std::vector<Launches::Outcome> Launches::take_outcomes() {
  return std::exchange(outcomes_, {});
}

}  // namespace sweepd
