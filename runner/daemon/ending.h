// How an attempt ended, from what its ranks said, how their processes ended and what the daemon did
// to them. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runner/exec/executor.h"
#include "runner/model/outcome.h"
#include "runner/sched/scheduler.h"

namespace sweepd {

struct RankEvidence {
  int rank = 0;
  std::optional<Ending> said;  // its `end` event
  ExitStatus exit;
  std::string phase;       // last seen on its status page
  std::string last_words;  // last line of its log, for a rank that could not write its journal
};

// `ranks` in the order in which their processes ended: the first that is not `done` decides, since
// the others may have died of its death. `stop` is what the daemon ordered, if anything; ranks that
// all finished before the order reached them are `done` all the same.
Ending decide_ending(const std::vector<RankEvidence>& ranks, std::optional<StopReason> stop,
                     Duration timeout);

}  // namespace sweepd
