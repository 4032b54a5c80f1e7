// Finds the attempts that an earlier daemon gave to jobs of the pool. Their folder may not be
// mounted yet: then they stay unseen until it can be read, and the pool starts nothing.
#pragma once

#include <string>
#include <vector>

#include "runner/exec/pilot/attempt_follower.h"
#include "runner/exec/pilot/pilot_state.h"

namespace sweepd {

class Adopter {
 public:
  Adopter(PilotState& state, AttemptFollower& follower) : state_(state), follower_(follower) {}

  // As Executor::adopt.
  Adoption adopt(const AttemptFolder& folder, const AttemptId& attempt);
  // Looks for the unseen attempts again. Returns those that were killed in between, to be killed.
  std::vector<AttemptId> look();
  void kill(const AttemptId& attempt);  // when it can be seen

  // Why some attempts cannot be seen; "": there are none.
  std::string blindness() const;
  std::optional<Instant> next() const;

 private:
  struct Unseen {
    AttemptId id;
    AttemptFolder folder;
    bool killed = false;
  };
  void follow_found(PilotAttempt& attempt);

  PilotState& state_;
  AttemptFollower& follower_;
  std::vector<Unseen> unseen_;
  Instant next_look_{};
};

}  // namespace sweepd
