// Follows the attempts that jobs were given: makes events from the files of their ranks, and says
// how an attempt ended whose step or job was ended from outside.
//
// A report is read before the files of the ranks are listed, so all files that were written before
// it are found.
#pragma once

#include "runner/exec/pilot/failures.h"
#include "runner/exec/pilot/pilot_state.h"

namespace sweepd {

class AttemptFollower {
 public:
  AttemptFollower(PilotState& state, RepeatedFailures& failures)
      : state_(state), failures_(failures) {}

  // These may end the attempt; `attempt` is gone then.
  void follow(const PilotJob& job, PilotAttempt& attempt, const PilotReport& report);
  // The job has ended, and its pilot could not report the attempt's end.
  void lose(const PilotJob& job, PilotAttempt& attempt, const EndedJob& end);

 private:
  void report_start(PilotAttempt& attempt, const RunFiles& files);
  void report_ranks(PilotAttempt& attempt, const RunFiles& files);
  void step_over(const PilotJob& job, PilotAttempt& attempt, const PilotReport& report);
  void end_normally(const PilotJob& job, const PilotAttempt& attempt, const RunFiles& files);
  void lose_to_watchdog(const PilotJob& job, const PilotAttempt& attempt);

  PilotState& state_;
  RepeatedFailures& failures_;
};

}  // namespace sweepd
