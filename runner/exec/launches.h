// The attempts of a LocalExecutor whose ranks are being started. A thread spawns them, one rank of
// an attempt after the other.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <vector>

#include "runner/exec/rank_processes.h"
#include "runner/exec/spawner.h"

namespace sweepd {

class Launches {
 public:
  // An attempt that is started, with its ranks, or not, with the reason. No rank is left then.
  struct Outcome {
    AttemptId attempt;
    Result<std::vector<RankProcess>> ranks;
  };

  explicit Launches(RankProcesses& processes) : processes_(processes) {}

  void add(const AttemptFolder& folder, const AttemptRequest& request);
  // Returns false if this attempt is not being started.
  bool kill(const AttemptId& attempt);

  // Readable when `go_on` must be called.
  int descriptor() const { return spawner_.descriptor(); }
  void go_on();

  bool has_outcomes() const { return !outcomes_.empty(); }
  std::vector<Outcome> take_outcomes();  // since the last call, in order

 private:
  struct Launch {
    std::uint64_t ticket;
    AttemptFolder folder;
    AttemptRequest request;
    std::vector<RankProcess> ranks = {};  // that run
    bool killed = false;

    int next() const { return static_cast<int>(ranks.size()); }
    bool is_complete() const { return ranks.size() == request.lease.ranks.size(); }
  };

  void spawn_next(Launch& launch);
  // Either removes the launch, or spawns its next rank.
  void go_on(Launch& launch, Result<Spawned> spawned);
  void give_up(Launch& launch, Error why);
  void finish(Launch& launch, Result<std::vector<RankProcess>> ranks);

  RankProcesses& processes_;
  Spawner spawner_;
  std::uint64_t last_ticket_ = 0;
  std::list<Launch> launches_;  // one rank of each is being spawned
  std::vector<Outcome> outcomes_;
};

}  // namespace sweepd
