// The attempts of a LocalExecutor whose ranks are being started. Forking is quick; until a fork
// runs its program, many milliseconds can pass on a busy machine. So ranks are forked in slices,
// and nothing waits for them: each reports through a descriptor.
#pragma once

#include <list>
#include <vector>

#include "runner/base/clock.h"
#include "runner/exec/rank_processes.h"
#include "runner/exec/wakeups.h"

namespace sweepd {

class Launches {
 public:
  // An attempt that is started, with its ranks, or not, with the reason. No rank is left then.
  struct Outcome {
    AttemptId attempt;
    Result<std::vector<RankProcess>> ranks;
  };

  // Both must outlive it. `wakeups` watches the descriptors of the forks.
  Launches(RankProcesses& processes, Wakeups& wakeups) : processes_(processes), wakeups_(wakeups) {}

  void add(const AttemptFolder& folder, const AttemptRequest& request);
  // Returns false if this attempt is not being started.
  bool kill(const AttemptId& attempt);

  // Whether a rank remains to be forked, or an outcome to be taken.
  bool is_due() const;
  // Forks at least one rank, and more while there is time.
  void fork_until(Instant end);
  // Returns false if the descriptor belongs to no fork.
  bool on_readable(int descriptor);

  std::vector<Outcome> take_outcomes();  // since the last call, in order

 private:
  struct Launch {
    AttemptFolder folder;
    AttemptRequest request;
    std::vector<StartingRank> ranks;
    std::size_t running = 0;  // of `ranks`, those whose program runs

    bool all_forked() const { return ranks.size() == request.lease.ranks.size(); }
    bool all_run() const { return running == request.lease.ranks.size(); }
  };

  Result<void> fork_next(Launch& launch);
  Result<void> on_report(Launch& launch, StartingRank& rank);
  // Each removes the launch.
  void succeed(Launch& launch);
  void give_up(Launch& launch, Error why);
  void remove(const Launch& launch);

  RankProcesses& processes_;
  Wakeups& wakeups_;
  std::list<Launch> launches_;
  std::vector<Outcome> outcomes_;
};

}  // namespace sweepd
