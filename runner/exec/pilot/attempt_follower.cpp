#include "runner/exec/pilot/attempt_follower.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "runner/base/files.h"
#include "runner/exec/pilot/job_end.h"
#include "runner/wire/status.h"

namespace sweepd {
namespace {

constexpr int kSignalled = 128;  // a shell's exit status of a program that a signal ended
constexpr int kMostSignals = 64;
constexpr std::int64_t kOutputBytes = 64 << 10;

ExitStatus status_of(int code) {
  if (code > kSignalled && code <= kSignalled + kMostSignals) return {code - kSignalled, {}};
  return {{}, code};
}

// A step and its ranks get the signal one after the other. The shell around a rank may record the
// rank's end before it gets the signal itself.
bool got_sigterm(const RunFiles& files) {
  return files.terminated || std::ranges::any_of(files.exits, [](const auto& rank) {
           return rank.second == kSignalled + SIGTERM;
         });
}

// Whether this daemon, or the one before, ended the job because it did not take the attempt. Other
// jobs with an attempt get no order to end.
bool ended_by_watchdog(const PilotJob& job, const PilotAttempt& attempt) {
  return job.told_to_end && !attempt.killed;
}

bool all_began(const PilotAttempt& attempt, const RunFiles& files) {
  return static_cast<std::int64_t>(files.began.size()) == attempt.needs.ranks;
}

bool all_ended(const PilotAttempt& attempt, const RunFiles& files) {
  return static_cast<std::int64_t>(files.exits.size()) >= attempt.needs.ranks;
}

}  // namespace

void AttemptFollower::follow(const PilotJob& job, PilotAttempt& attempt,
                             const PilotReport& report) {
  if (report.number < attempt.number) return;  // not taken yet
  const RunFiles files = job.folder.files_of(attempt.number);
  if (!attempt.started && all_began(attempt, files)) report_start(attempt, files);
  if (attempt.started) report_ranks(attempt, files);
  // A pilot that has ended has ended its attempt before, perhaps while no daemon looked.
  const bool over =
      report.number > attempt.number || report.state == "over" || report.state == "ended";
  if (over) step_over(job, attempt, report);
}

void AttemptFollower::report_start(PilotAttempt& attempt, const RunFiles& files) {
  attempt.started = true;
  WallTime when{0};
  for (const auto& [rank, begun] : files.began) when = std::max(when, begun.when);
  AttemptStarted started{attempt.id};
  if (now_wall() - when > seconds(1)) started.when = when;
  state_.attempts.report(std::move(started));
}

void AttemptFollower::report_ranks(PilotAttempt& attempt, const RunFiles& files) {
  for (const auto& [rank, code] : files.exits) {
    if (!attempt.ended.insert(rank).second) continue;
    state_.attempts.report(RankEnded{attempt.id, rank, status_of(code)});
  }
}

// The step has ended, with everything that its ranks started.
void AttemptFollower::step_over(const PilotJob& job, PilotAttempt& attempt,
                                const PilotReport& report) {
  PilotAttempts& attempts = state_.attempts;
  const auto read =
      read_regular(job.folder.srun_output(attempt.number), Links::kRefuse, kOutputBytes);
  const StepWords step = state_.manager.read_step(read ? *read : "");
  if (attempt.started && step.out_of_memory) {
    const std::string phase = read_status(attempt.folder.status(0)).phase;
    return attempts.lost(attempt.id, {{}, {Oom{{}, {}, {}, phase}, 0}});
  }
  const RunFiles files = job.folder.files_of(attempt.number);
  const bool cancelled = step.cancelled || got_sigterm(files);
  const bool untold = attempt.started && !all_ended(attempt, files);
  if (attempt.in_doubt || ((cancelled || untold) && !attempt.stopped && !attempt.killed)) {
    // The manager ends the steps of a job first. Only the end of the job says why.
    if (!attempt.in_doubt) attempt.in_doubt = 0;
    if (*attempt.in_doubt < 2 && report.state != "ended") return;
  }
  const bool only_begun = !attempt.started || (attempt.in_doubt && cancelled);
  if (only_begun && ended_by_watchdog(job, attempt)) return lose_to_watchdog(job, attempt);
  if (attempt.in_doubt && cancelled) {
    const std::string why =
        step.cancelled ? step.words : "its ranks got SIGTERM, and sweepd did not send it";
    return attempts.lost(attempt.id,
                         {{}, {Cancelled{fmt::format("its step was cancelled: {}", why)}, 0}});
  }
  if (attempt.started) return end_normally(job, attempt, files);
  if (attempt.killed) {
    return attempts.not_started(attempt.id,
                                {ErrorCode::kUnavailable, "killed before all ranks ran"});
  }
  failures_.step_failed(
      job, attempt.id,
      fmt::format("srun ended with status {} (job {}): {}", report.words, report.job, step.words));
}

void AttemptFollower::end_normally(const PilotJob& job, const PilotAttempt& attempt,
                                   const RunFiles& files) {
  if (failures_.is_not_loaded(job, attempt, files)) return;
  for (int rank = 0; rank < attempt.needs.ranks; ++rank) {
    if (attempt.ended.contains(rank)) continue;
    const ExitStatus exit = attempt.killed ? ExitStatus{SIGKILL, {}} : ExitStatus{};
    state_.attempts.report(RankEnded{attempt.id, rank, exit});
  }
  state_.attempts.over(attempt.id);
}

void AttemptFollower::lose(const PilotJob& job, PilotAttempt& attempt, const EndedJob& end) {
  const JobCause cause = state_.manager.cause_of(end);
  const RunFiles files = job.folder.files_of(attempt.number);
  const bool began = attempt.started || !files.began.empty();
  if (!began && (attempt.killed || !is_of_this_job_alone(cause))) {
    return state_.attempts.give_back(attempt);
  }
  const bool all_well =
      std::ranges::all_of(files.exits, [](const auto& rank) { return rank.second == 0; });
  if (attempt.started && all_ended(attempt, files) && (all_well || cause == JobCause::kCompleted)) {
    report_ranks(attempt, files);
    return state_.attempts.over(attempt.id);
  }
  if (attempt.started && attempt.killed) {
    PilotReport over = job.folder.report();
    over.number = attempt.number;
    over.state = "over";
    return step_over(job, attempt, over);
  }
  if (cause == JobCause::kCancelled && ended_by_watchdog(job, attempt))
    return lose_to_watchdog(job, attempt);
  state_.attempts.lost(attempt.id,
                       lost_with_job({state_.manager.name(), job.record.number, end, cause,
                                      job.record.time, read_status(attempt.folder.status(0)).phase,
                                      last_line_of(job.folder.output())}));
}

void AttemptFollower::lose_to_watchdog(const PilotJob& job, const PilotAttempt& attempt) {
  AttemptLost lost;
  lost.what =
      fmt::format("job {} ran on {} and followed no order for {}, so it was cancelled",
                  job.record.number, job.report.nodes, to_text(state_.settings.timing.obey));
  lost.ending = {Failed{lost.what, ""}, 0};
  lost.again = true;
  state_.attempts.lost(attempt.id, std::move(lost));
}

}  // namespace sweepd
