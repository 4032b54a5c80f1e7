// Finds a running job that does not follow its orders: its script hangs, as on a node that has lost
// the shared folder. Its attempt would wait until the job's time is over, which may be a day, and
// `cancel` would not help.
//
// A script with a running attempt looks like one that waits for the end of a long step. The
// attempt's timeout ends that step; from then on the script must react.
#pragma once

#include "runner/exec/pilot/attempts.h"
#include "runner/exec/pilot/jobs.h"

namespace sweepd {

class JobWatchdog {
 public:
  explicit JobWatchdog(Duration obey) : obey_(obey) {}

  // Returns true if the job has followed no order for `obey`. Call with a report that has just been
  // read; `attempt` is the one that the job was given, or null. The time stands still while the job
  // does not run, or was not looked at.
  bool hangs(PilotJob& job, const PilotAttempt* attempt, Instant looked_before, Instant now) const;

 private:
  Duration obey_;
};

}  // namespace sweepd
