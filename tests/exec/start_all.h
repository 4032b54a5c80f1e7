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
  while (ranks.size() < request.lease.ranks.size()) {
    if (auto started = processes.start_next(folder, request, ranks); !started) {
      return started.error();
    }
  }
  return ranks;
}

}  // namespace sweepd
