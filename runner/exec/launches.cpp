#include "runner/exec/launches.h"

#include <algorithm>
#include <utility>

namespace sweepd {

void Launches::add(const AttemptFolder& folder, const AttemptRequest& request) {
  launches_.push_back({folder, request, {}, 0});
}

bool Launches::kill(const AttemptId& attempt) {
  for (Launch& launch : launches_) {
    if (launch.request.attempt != attempt) continue;
    give_up(launch, {ErrorCode::kUnavailable, "killed before all ranks ran"});
    return true;
  }
  return false;
}

bool Launches::is_due() const {
  return !outcomes_.empty() ||
         std::ranges::any_of(launches_, [](const Launch& launch) { return !launch.all_forked(); });
}

void Launches::fork_until(Instant end) {
  for (auto it = launches_.begin(); it != launches_.end();) {
    Launch& launch = *it++;  // before the following removes it
    while (!launch.all_forked()) {
      if (const auto forked = fork_next(launch); !forked) {
        give_up(launch, forked.error());
        break;
      }
      if (launch.all_run()) {
        succeed(launch);
        break;
      }
      if (now_instant() >= end) return;
    }
  }
}

Result<void> Launches::fork_next(Launch& launch) {
  const int rank = static_cast<int>(launch.ranks.size());
  auto started = processes_.begin(launch.folder, launch.request, rank);
  if (!started) return started.error();
  launch.ranks.push_back(std::move(*started));
  if (const int report = launch.ranks.back().report(); report >= 0) {
    wakeups_.watch(report);
  } else {
    ++launch.running;
  }
  return {};
}

bool Launches::on_readable(int descriptor) {
  for (Launch& launch : launches_) {
    for (StartingRank& rank : launch.ranks) {
      if (rank.report() != descriptor) continue;
      if (const auto runs = on_report(launch, rank); !runs) {
        give_up(launch, runs.error());
      } else if (launch.all_run()) {
        succeed(launch);
      }
      return true;
    }
  }
  return false;
}

Result<void> Launches::on_report(Launch& launch, StartingRank& rank) {
  wakeups_.forget(rank.report());
  auto runs = processes_.finish(launch.request, rank);
  rank.spawning.reset();
  ++launch.running;
  return runs;
}

void Launches::succeed(Launch& launch) {
  std::vector<RankProcess> ranks;
  for (StartingRank& rank : launch.ranks) ranks.push_back(std::move(rank.process));
  outcomes_.push_back({launch.request.attempt, std::move(ranks)});
  remove(launch);
}

void Launches::give_up(Launch& launch, Error why) {
  for (const StartingRank& rank : launch.ranks) {
    if (rank.report() >= 0) wakeups_.forget(rank.report());
  }
  processes_.abandon(launch.folder, launch.ranks);
  outcomes_.push_back({launch.request.attempt, std::move(why)});
  remove(launch);
}

void Launches::remove(const Launch& launch) {
  launches_.remove_if([&launch](const Launch& other) { return &other == &launch; });
}

std::vector<Launches::Outcome> Launches::take_outcomes() {
  return std::exchange(outcomes_, {});
}

}  // namespace sweepd
