// Decides how an attempt ended, from its ranks' reports, their processes' ends and the daemon's
// orders. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runner/exec/exit_status.h"
#include "runner/model/vocabulary/outcome.h"
#include "runner/sched/scheduler.h"

namespace sweepd {

struct RankEvidence {
  int rank = 0;
  std::optional<Ending> said;  // its `end` event
  ExitStatus exit;
  std::string phase;         // last seen on its status page
  std::string exit_message;  // last line of its log, if it could not write its journal
};

// `ranks` are in the order in which their processes ended. The first that is not `done` decides,
// since it may be the reason for the others. `stop` is the daemon's order, if there was one; ranks
// that all finished before it reached them are still `done`.
Ending decide_ending(const std::vector<RankEvidence>& ranks, std::optional<StopReason> stop,
                     Duration timeout);

}  // namespace sweepd
