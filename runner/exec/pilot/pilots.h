// The pilots of a cluster pool: jobs in which a script runs one attempt after the other. This is
// the executor without its threads (pilot_executor.h). It passes each call to its components:
//
//   PilotAttempts     the attempts and the events about them
//   PilotJobs         the jobs and their folders
//   Matching          which job runs which attempt
//   JobLifetime       when a job is submitted and ends; asks the manager
//   JobWatchdog       running jobs that follow no order
//   AttemptFollower   events from the files of an attempt's ranks
//   RepeatedFailures  failures that the next attempt would meet too
//   Adopter           attempts of an earlier daemon
//
// Not thread-safe, and never waits for the manager, which calls back. Reads and writes small files
// in the shared folder. All times are given with the call, except those shown to users.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runner/exec/pilot/adopter.h"
#include "runner/exec/pilot/job_lifetime.h"

namespace sweepd {

class Pilots {
 public:
  // Loads the jobs of an earlier daemon.
  Pilots(PilotSettings settings, ClusterManager& manager, Instant now);
  Pilots(const Pilots&) = delete;

  // As the calls of Executor.
  void start(const AttemptFolder& folder, const AttemptRequest& request, Instant now);
  Adoption adopt(const AttemptFolder& folder, const AttemptId& attempt, Instant now);
  void stop(const AttemptId& attempt);
  void kill(const AttemptId& attempt);
  void take_back(const AttemptId& attempt);
  std::map<AttemptId, AttemptPlace> places() const;
  std::string trouble() const;
  std::vector<PoolAllocation> allocations() const;
  std::vector<ExecutorEvent> take_events() { return state_.attempts.take_events(); }

  // Looks at folders and takes the due actions. Call when `next` has come and after any call above.
  void tick(Instant now);
  // Empty: there is no job and no attempt.
  std::optional<Instant> next(Instant now) const;

 private:
  PilotState state_;
  Matching matching_{state_};
  RepeatedFailures failures_{state_};
  AttemptFollower follower_{state_, failures_};
  JobLifetime lifetime_{state_, matching_, failures_, follower_};
  Adopter adopter_{state_, follower_};
};

}  // namespace sweepd
