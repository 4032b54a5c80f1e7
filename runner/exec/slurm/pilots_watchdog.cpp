// The part of the pilots for a running job that does not follow its orders: its script hangs, as on
// a node that has lost the shared folder. Its attempt would wait until the job's time is over,
// which may be a day, and `cancel` would not help.
//
// A script with a running attempt looks like one that waits for the end of a long step. The
// attempt's timeout ends that step; from then on the script must react.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "runner/exec/slurm/pilots.h"

namespace sweepd {
namespace {

// With a longer gap between two checks the daemon did not run, or waited for the folder.
constexpr Duration kBlind = seconds(10);

}  // namespace

// It has not taken the last order, or has not ended the attempt that it was ordered to kill.
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
  spdlog::warn("pool `{}`: job {} on {} has followed no order for {}; cancelling it",
               settings_.pool.name, job.report.job, job.report.nodes,
               to_text(settings_.timing.obey));
  cancel(job);
}

// Whether this daemon, or the one before, ended the job because it did not take the attempt. Other
// jobs with an attempt get no order to end.
bool Pilots::was_deaf(const Job& job, const Attempt& attempt) const {
  return job.told_to_end && !attempt.killed;
}

void Pilots::lose_to_deaf(const Job& job, const Attempt& attempt) {
  AttemptLost lost;
  lost.attempt = attempt.id;
  lost.what = fmt::format("job {} ran on {} and followed no order for {}, so it was cancelled",
                          job.record.number, job.report.nodes, to_text(settings_.timing.obey));
  lost.ending = {Failed{lost.what, ""}, 0};
  lost.again = true;
  events_.emplace_back(std::move(lost));
  forget(AttemptId(attempt.id));
}

}  // namespace sweepd
