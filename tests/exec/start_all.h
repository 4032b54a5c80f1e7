// Starts all ranks of an attempt, one after the other.
#pragma once

#include <utility>
#include <vector>

#include "runner/exec/rank_processes.h"

namespace sweepd {

inline Result<std::vector<RankProcess>> start_all(RankProcesses& processes,
                                                  const AttemptFolder& folder,
                                                  const AttemptRequest& request) {
  std::vector<RankProcess> ranks;
  if (auto forked = processes.fork_loaded(folder, request)) ranks.push_back(std::move(*forked));
  while (ranks.size() < request.lease.ranks.size()) {
    const int rank = static_cast<int>(ranks.size());
    auto spawned = spawn(processes.plan(folder, request, rank));
    if (!spawned) {
      processes.abandon(folder, ranks);
      return error_of_start(request, rank, spawned.error());
    }
    ranks.push_back(process_of(rank, std::move(*spawned)));
  }
  return ranks;
}

}  // namespace sweepd
