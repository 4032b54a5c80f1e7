// Failures that would meet the next attempt too: the manager refuses the job, the prologue fails,
// the worker is not on the node.
//
// Temporary failures cost no attempt: it goes back to its place in the queue (AttemptNotStarted),
// and the pool pauses. Permanent failures (doubts.h) become the outcome of the one attempt that the
// job was for: a queue of 10,000 may neither lose all attempts to a prologue that is broken for an
// hour, nor submit a job for each. The dispatcher's pause after such an end grows to ten minutes,
// so a night costs some sixty attempts and as many jobs, and `retry` brings them back. Only a
// refusal of the job ends all attempts that wait for the same allocation, at most `max_jobs`, since
// it concerns all of them.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "runner/exec/pilot/doubts.h"
#include "runner/exec/pilot/pilot_state.h"

namespace sweepd {

class RepeatedFailures {
 public:
  explicit RepeatedFailures(PilotState& state)
      : state_(state), doubts_(state.settings.timing.moment) {}

  // No attempt of this many nodes got a job. The failure concerns `whose`; the others that wait for
  // such a job wait elsewhere.
  void job_failed(std::int64_t nodes, const std::vector<AttemptId>& whose,
                  const std::string& words);
  // The job has taken the attempt, and could not run it.
  void step_failed(const PilotJob& job, const AttemptId& attempt, const std::string& words);
  // Returns true if the worker could not be loaded, and the attempt has ended because of that.
  // Until the failure is certain, the dispatcher sees it in the exit status and the log, as on its
  // own machine.
  bool is_not_loaded(const PilotJob& job, const PilotAttempt& attempt, const RunFiles& files);

  // The last job of this many nodes ended before its script began, or was refused. The next one
  // would probably too, so one at a time is submitted until one begins.
  void doubt_jobs(std::int64_t nodes) { doubtful_.insert(nodes); }
  bool doubts_jobs(std::int64_t nodes) const { return doubtful_.contains(nodes); }
  void job_began(std::int64_t nodes);
  // Attempts come again after there was none.
  void attempts_come_again(Instant now) { doubts_.nothing_waited_until(now); }

 private:
  void end_attempt(const AttemptId& attempt, const std::string& words);

  PilotState& state_;
  Doubts doubts_;
  std::set<std::int64_t> doubtful_;  // numbers of nodes
};

}  // namespace sweepd
