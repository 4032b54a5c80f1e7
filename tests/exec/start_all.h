// Starts all ranks of an attempt, one after the other.
#pragma once

#include <utility>
#include <vector>

#include "runner/exec/rank_processes.h"

namespace sweepd {

inline Result<std::vector<RankProcess>> start_all(RankProcesses& processes,
                                                  const AttemptFolder& folder,
                                                  const AttemptRequest& request) {
  std::vector<StartingRank> started;
  const auto fail = [&](Error error) {
    processes.abandon(folder, started);
    return error;
  };
  while (started.size() < request.lease.ranks.size()) {
    auto rank = processes.begin(folder, request, static_cast<int>(started.size()));
    if (!rank) return fail(rank.error());
    started.push_back(std::move(*rank));
    if (const auto runs = processes.finish(request, started.back()); !runs) {
      return fail(runs.error());
    }
  }
  std::vector<RankProcess> ranks;
  for (StartingRank& rank : started) ranks.push_back(std::move(rank.process));
  return ranks;
}

}  // namespace sweepd
