// The part of the pilots that reads the folders of jobs and makes events from their files.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <csignal>

#include "runner/base/files.h"
#include "runner/exec/slurm/job_end.h"
#include "runner/exec/slurm/pilots.h"
#include "runner/wire/status.h"

namespace sweepd {
namespace {

constexpr int kSignalled = 128;  // a shell's exit status of a program that a signal ended
constexpr int kMostSignals = 64;
constexpr std::int64_t kOutputBytes = 64 << 10;
// The interval of checks on a queued job, which reports its start in its folder.
constexpr Duration kQueuedLook = milliseconds(500);
constexpr std::size_t kLastLines = 3;  // of a prologue that failed

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

}  // namespace

// The end of a long attempt may be noticed later, by a small part of its time.
Duration Pilots::pause_of(const Job& job, Instant now) const {
  const Duration least = settings_.timing.look;
  if (job.report.state.empty() || !job.attempt) return std::max(least, kQueuedLook);
  const auto given = std::ranges::find(attempts_, *job.attempt, &Attempt::id);
  constexpr std::int64_t kPart = 20, kMost = 200;
  if (given == attempts_.end()) return least;
  const std::int64_t age_ns = (now - given->given).ns;
  return {std::clamp(age_ns / kPart, least.ns, kMost * least.ns)};
}

void Pilots::look_at(Job& job, Instant now) {
  if (job.submitting || job.finished) return;
  const Instant looked_before = std::exchange(job.looked, now);
  // Read before the files of the ranks are listed: so all files written before it are found.
  PilotReport report = job.folder.report();
  if (report.state.empty()) {
    job.obeyed = now;  // its state is unknown
    return;
  }
  const bool began = job.report.state.empty();
  job.report = std::move(report);
  if (began) {
    if (job.record.number != job.report.job) {
      job.record.number = job.report.job;
      if (!job.folder.write_record(job.record))
        spdlog::warn("job {} has no record", job.report.job);
    }
    job.unsure = false;
    if (job.report.state != "prologue") {
      doubtful_.erase(job.record.nodes);
      doubts_.worked(allocation_text(pool_, job.record.nodes));
    }
    if (const auto start = job.folder.began()) job.ends = {start->ns + job.record.time.ns};
    spdlog::info("pool `{}`: job {} began on {}", settings_.pool.name, job.report.job,
                 job.report.nodes);
  }
  if (job.attempt) {
    if (Attempt* attempt = find(*job.attempt)) follow(job, *attempt, job.report);
    job.needed = now;
  }
  if (job.report.state == "prologue") {
    const std::string words =
        fmt::format("the prologue of pool `{}` ended with status {} on {} (job {}): {}",
                    settings_.pool.name, job.report.words, job.report.nodes, job.report.job,
                    last_lines_of(job.folder.output(), kLastLines));
    const std::vector<AttemptId> meant = whose(job);
    finish(job, {"FAILED", "prologue", job.report.words, job.report.nodes});
    doubtful_.insert(job.record.nodes);
    job_failed(job.record.nodes, meant, words);
  } else if (job.report.state == "ended") {
    // It reads no more orders. An attempt that it did not take waits again.
    if (job.attempt) give_back(*find(*job.attempt));
    finish(job, {"COMPLETED", "", "0:0", job.report.nodes});
  } else {
    end_if_deaf(job, looked_before, now);
  }
}

void Pilots::follow(Job& job, Attempt& attempt, const PilotReport& report) {
  if (report.number < attempt.number) return;  // not taken yet
  const RunFiles files = job.folder.files_of(attempt.number);
  if (!attempt.started && static_cast<std::int64_t>(files.began.size()) == attempt.ask.ranks) {
    attempt.started = true;
    WallTime when{0};
    for (const auto& [rank, begun] : files.began) when = std::max(when, begun.when);
    AttemptStarted started{attempt.id};
    if (now_wall() - when > seconds(1)) started.when = when;
    events_.emplace_back(std::move(started));
  }
  if (attempt.started) report_ranks(attempt, files);
  // A pilot that has ended has ended its attempt before, perhaps while no daemon looked.
  const bool over =
      report.number > attempt.number || report.state == "over" || report.state == "ended";
  if (over) attempt_over(job, attempt, report);
}

void Pilots::report_ranks(Attempt& attempt, const RunFiles& files) {
  for (const auto& [rank, code] : files.exits) {
    if (!attempt.ended.insert(rank).second) continue;
    events_.emplace_back(RankEnded{attempt.id, rank, status_of(code)});
  }
}

// The step has ended, with everything that its ranks started.
void Pilots::attempt_over(Job& job, Attempt& attempt, const PilotReport& report) {
  const auto output =
      read_regular(job.folder.srun_output(attempt.number), Links::kRefuse, kOutputBytes);
  const std::string said = output ? *output : "";
  const AttemptId id = attempt.id;
  if (attempt.started && says_out_of_memory(said)) {
    const std::string phase = read_status(attempt.folder.status(0)).phase;
    events_.emplace_back(AttemptLost{id, {Oom{{}, {}, {}, phase}, 0}, false, ""});
    return forget(id);
  }
  const RunFiles files = job.folder.files_of(attempt.number);
  const bool cancelled = says_cancelled(said) || got_sigterm(files);
  const bool untold =
      attempt.started && static_cast<std::int64_t>(files.exits.size()) < attempt.ask.ranks;
  if (attempt.in_doubt || ((cancelled || untold) && !attempt.stopped && !attempt.killed)) {
    // Slurm ends the steps of a job first. Only the end of the job says why.
    if (!attempt.in_doubt) attempt.in_doubt = 0;
    if (*attempt.in_doubt < 2 && report.state != "ended") return;
  }
  const bool only_begun = !attempt.started || (attempt.in_doubt && cancelled);
  if (only_begun && was_deaf(job, attempt)) return lose_to_deaf(job, attempt);
  if (attempt.in_doubt && cancelled) {
    const std::string words =
        says_cancelled(said) ? one_line(said) : "its ranks got SIGTERM, and sweepd did not send it";
    events_.emplace_back(AttemptLost{
        id, {Cancelled{fmt::format("its step was cancelled: {}", words)}, 0}, false, ""});
    return forget(id);
  }
  if (!attempt.started) {
    if (!attempt.killed) {
      return step_failed(job, id,
                         fmt::format("srun ended with status {} (job {}): {}", report.words,
                                     report.job, one_line(said)));
    }
    events_.emplace_back(
        AttemptNotStarted{id, {ErrorCode::kUnavailable, "killed before all ranks ran"}});
    return forget(id);
  }
  if (is_not_loaded(job, attempt, files)) return;
  for (int rank = 0; rank < attempt.ask.ranks; ++rank) {
    if (attempt.ended.contains(rank)) continue;
    const ExitStatus exit = attempt.killed ? ExitStatus{9, {}} : ExitStatus{};
    events_.emplace_back(RankEnded{id, rank, exit});
  }
  events_.emplace_back(AttemptOver{id});
  forget(id);
}

// The job has ended, and its pilot could not report the attempt's end.
void Pilots::lose(Job& job, Attempt& attempt, const EndedJob& end) {
  const PilotReport report = job.folder.report();
  const RunFiles files = job.folder.files_of(attempt.number);
  const bool began = attempt.started || !files.began.empty();
  if (!began && (attempt.killed || !is_of_this_job_alone(end))) return give_back(attempt);
  const AttemptId id = attempt.id;
  const bool all_ended = static_cast<std::int64_t>(files.exits.size()) == attempt.ask.ranks;
  const bool all_well =
      std::ranges::all_of(files.exits, [](const auto& rank) { return rank.second == 0; });
  if (attempt.started && all_ended && (all_well || end.state == "COMPLETED")) {
    report_ranks(attempt, files);
    events_.emplace_back(AttemptOver{id});
    return forget(id);
  }
  if (attempt.started && attempt.killed) {
    PilotReport over = report;
    over.number = attempt.number;
    over.state = "over";
    return attempt_over(job, attempt, over);
  }
  if (end.state == "CANCELLED" && was_deaf(job, attempt)) return lose_to_deaf(job, attempt);
  AttemptLost lost = lost_with_job({job.record.number, end, job.record.time,
                                    read_status(attempt.folder.status(0)).phase,
                                    last_line_of(job.folder.output())});
  lost.attempt = id;
  events_.emplace_back(std::move(lost));
  forget(id);
}

// The job that an attempt waited for has ended before its script began.
void Pilots::lose_meant(const Attempt& attempt, const JobEvidence& evidence) {
  AttemptLost lost = lost_with_job(evidence);
  lost.attempt = attempt.id;
  events_.emplace_back(std::move(lost));
  forget(AttemptId(attempt.id));
}

// It waits for another job, as if it had never had one.
void Pilots::give_back(Attempt& attempt) {
  std::error_code ignored;
  std::filesystem::remove(attempt.folder.path() / "job", ignored);
  for (Job& job : jobs_) {
    if (job.attempt == attempt.id) job.attempt.reset();
  }
  attempt.job.clear();
  attempt.number = 0;
  if (attempt.killed) kill(AttemptId(attempt.id));
}

}  // namespace sweepd
