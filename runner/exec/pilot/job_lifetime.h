// Decides when a job is submitted and when it ends, and learns from the manager and from the job's
// folder what became of it.
//
// While the manager does not answer, nothing is submitted, and no job is believed to be gone.
// Answers arrive later: a callback finds its job by name, since it may have ended.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runner/exec/pilot/attempt_follower.h"
#include "runner/exec/pilot/failures.h"
#include "runner/exec/pilot/matching.h"
#include "runner/exec/pilot/pilot_state.h"
#include "runner/exec/pilot/watchdog.h"

namespace sweepd {

class JobLifetime {
 public:
  JobLifetime(PilotState& state, const Matching& matching, RepeatedFailures& failures,
              AttemptFollower& follower)
      : state_(state),
        matching_(matching),
        failures_(failures),
        follower_(follower),
        watchdog_(state.settings.timing.obey) {}

  // Reads the folders of the jobs whose time has come.
  void look();
  // Submits the jobs that the waiting attempts need, and cancels queued jobs that none needs.
  void submit_and_cancel();
  // Lists the pool's jobs, all at once, every `SlurmPool::poll`.
  void poll();
  void cancel(PilotJob& job);

  const std::string& trouble() const { return trouble_; }  // "": the manager answers
  // When to look or to poll next; empty: there is no job and no attempt.
  std::optional<Instant> next(Instant now) const;

 private:
  Duration pause_of(const PilotJob& job, Instant now) const;
  void look_at(PilotJob& job, Instant now);
  void note_start(PilotJob& job);
  void end_in_prologue(PilotJob& job);
  void submit_needed();
  void cancel_unneeded();
  void submit(std::int64_t nodes);
  void submitted(const std::string& name, const SubmitAnswer& answer);
  void refused(PilotJob& job, const SubmitAnswer& answer);
  void listed(const Result<std::vector<QueuedJob>>& queue);
  void found_queued(PilotJob& job, const QueuedJob& queued);
  void ask_how_it_ended(PilotJob& job);
  void ended(PilotJob& job, const EndedJob& end);
  std::vector<AttemptId> whose(const PilotJob& job) const;
  void unreachable(const Error& why);

  PilotState& state_;
  const Matching& matching_;
  RepeatedFailures& failures_;
  AttemptFollower& follower_;
  JobWatchdog watchdog_;
  std::string trouble_;
  Instant next_poll_{};
  bool polling_ = false;
};

}  // namespace sweepd
