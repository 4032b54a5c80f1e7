// The part of the pilots for a job that runs and does nothing it is told: its script hangs, as on a
// node that does not reach the shared folder any more. What it was given would wait until the job's
// time is over, which may be a day, and `cancel` would not help.
//
// A script whose attempt runs is not known to hang, since nobody can tell it from one that waits
// for the end of a long step. The attempt's timeout ends that, and with it the time begins.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "runner/exec/slurm/pilots.h"

namespace sweepd {
namespace {

// Two looks that are further apart: the daemon did not run in between, or the folder kept it
// waiting.
constexpr Duration kBlind = seconds(10);

}  // namespace

// It has not taken the last order, or has not ended what it was told to kill.
bool Pilots::owes(const Job& job) const {
  if (job.report.number < job.order) return true;
  const Attempt* attempt = job.attempt ? find(*job.attempt) : nullptr;
  return attempt != nullptr && attempt->killed;
}

// Called with a report that has just been read.
void Pilots::end_if_deaf(Job& job, Instant looked_before, Instant now) {
  const bool seen = now - looked_before <= kBlind && trouble_.empty();
  if (!seen || job.queued.state != "RUNNING" || !owes(job)) {
    job.obeyed = now;
    return;
  }
  if (job.cancelled || now - job.obeyed < settings_.timing.obey) return;
  spdlog::warn("pool `{}`: job {} on {} has done nothing it was told for {}; it is cancelled",
               settings_.pool.name, job.report.job, job.report.nodes,
               to_text(settings_.timing.obey));
  cancel(job);
}

// Whether this, or the daemon before, ended the job because it did not take the attempt. No other
// job is told to end that has one.
bool Pilots::was_deaf(const Job& job, const Attempt& attempt) const {
  return job.told_to_end && !attempt.killed;
}

void Pilots::lose_to_deaf(const Job& job, const Attempt& attempt) {
  AttemptLost lost;
  lost.attempt = attempt.id;
  lost.what =
      fmt::format("job {} ran on {} and did nothing it was told for {}, so it was cancelled",
                  job.record.number, job.report.nodes, to_text(settings_.timing.obey));
  lost.ending = {Failed{lost.what, ""}, 0};
  lost.again = true;
  events_.emplace_back(std::move(lost));
  forget(AttemptId(attempt.id));
}

}  // namespace sweepd
