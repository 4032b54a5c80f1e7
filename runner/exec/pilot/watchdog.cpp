#include "runner/exec/pilot/watchdog.h"

namespace sweepd {
namespace {

// With a longer gap between two looks the daemon did not run, or waited for the folder.
constexpr Duration kBlind = seconds(10);

// It has not taken the last order, or has not ended the attempt that it was ordered to kill.
bool owes(const PilotJob& job, const PilotAttempt* attempt) {
  return job.report.number < job.order || (attempt != nullptr && attempt->killed);
}

}  // namespace

bool JobWatchdog::hangs(PilotJob& job, const PilotAttempt* attempt, Instant looked_before,
                        Instant now) const {
  if (now - looked_before > kBlind || !job.queued.runs || !owes(job, attempt)) job.obeyed = now;
  return now - job.obeyed >= obey_;
}

}  // namespace sweepd
