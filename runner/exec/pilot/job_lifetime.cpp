#include "runner/exec/pilot/job_lifetime.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "runner/exec/pilot/job_end.h"

namespace sweepd {
namespace {

// The interval of looks at a queued job, which reports its start in its folder.
constexpr Duration kQueuedLook = milliseconds(500);
constexpr std::size_t kLastLines = 3;  // of a prologue that failed

}  // namespace

// The end of a long attempt may be noticed later, by a small part of its time.
Duration JobLifetime::pause_of(const PilotJob& job, Instant now) const {
  const Duration least = state_.settings.timing.look;
  const PilotAttempt* attempt = state_.attempt_of(job);
  if (!job.began() || attempt == nullptr) return std::max(least, kQueuedLook);
  constexpr std::int64_t kPart = 20, kMost = 200;
  return {std::clamp((now - attempt->given).ns / kPart, least.ns, kMost * least.ns)};
}

std::optional<Instant> JobLifetime::next(Instant now) const {
  std::optional<Instant> next;
  for (const PilotJob& job : state_.jobs.all()) {
    const Instant due = job.looked + pause_of(job, now);
    next = next ? std::min(*next, due) : due;
  }
  if (!trouble_.empty() && !state_.attempts.empty() && !polling_) {
    next = next ? std::min(*next, next_poll_) : next_poll_;
  }
  return next;
}

void JobLifetime::look() {
  for (PilotJob& job : state_.jobs.all()) {
    if (state_.now - job.looked >= pause_of(job, state_.now)) look_at(job, state_.now);
  }
}

void JobLifetime::look_at(PilotJob& job, Instant now) {
  if (job.submitting || job.finished) return;
  const Instant looked_before = std::exchange(job.looked, now);
  PilotReport report = job.folder.report();
  if (report.state.empty()) {
    job.obeyed = now;  // its state is unknown
    return;
  }
  const bool began = !job.began();
  job.report = std::move(report);
  if (began) note_start(job);
  if (PilotAttempt* attempt = state_.attempt_of(job)) {
    follower_.follow(job, *attempt, job.report);
    job.needed = now;
  }
  PilotAttempt* const attempt = state_.attempt_of(job);
  if (job.report.state == "prologue") {
    end_in_prologue(job);
  } else if (job.report.state == "ended") {
    // It reads no more orders. An attempt that it did not take waits again.
    if (attempt != nullptr) state_.attempts.give_back(*attempt);
    state_.jobs.finish(job, {"COMPLETED", "", "0:0", job.report.nodes});
  } else if (!trouble_.empty()) {
    job.obeyed = now;  // it is unknown whether it runs
  } else if (watchdog_.hangs(job, attempt, looked_before, now) && !job.cancelled) {
    spdlog::warn("pool `{}`: job {} on {} has followed no order for {}; cancelling it",
                 state_.settings.pool.name, job.report.job, job.report.nodes,
                 to_text(state_.settings.timing.obey));
    cancel(job);
  }
}

void JobLifetime::note_start(PilotJob& job) {
  if (job.record.number != job.report.job) record_number(job, job.report.job);
  job.unsure = false;
  if (job.report.state != "prologue") failures_.job_began(job.record.nodes);
  if (const auto start = job.folder.began()) job.ends = {start->ns + job.record.time.ns};
  spdlog::info("pool `{}`: job {} began on {}", state_.settings.pool.name, job.report.job,
               job.report.nodes);
}

void JobLifetime::end_in_prologue(PilotJob& job) {
  const std::string words =
      fmt::format("the prologue of pool `{}` ended with status {} on {} (job {}): {}",
                  state_.settings.pool.name, job.report.words, job.report.nodes, job.report.job,
                  last_lines_of(job.folder.output(), kLastLines));
  const std::vector<AttemptId> meant = whose(job);
  state_.jobs.finish(job, {"FAILED", "prologue", job.report.words, job.report.nodes});
  failures_.doubt_jobs(job.record.nodes);
  failures_.job_failed(job.record.nodes, meant, words);
}

std::vector<AttemptId> JobLifetime::whose(const PilotJob& job) const {
  const PilotAttempt* meant = matching_.meant_for(job);
  return meant == nullptr ? std::vector<AttemptId>() : std::vector{meant->id};
}

void JobLifetime::submit_and_cancel() {
  cancel_unneeded();
  if (trouble_.empty()) submit_needed();
}

void JobLifetime::submit_needed() {
  std::set<std::int64_t> sizes;
  for (const PilotAttempt& attempt : state_.attempts.all()) {
    if (attempt.waits()) sizes.insert(attempt.needs.nodes);
  }
  const std::int64_t max_jobs = state_.pool().max_jobs;
  for (const std::int64_t nodes : sizes) {
    std::int64_t coming = matching_.coming(nodes);
    const std::int64_t most = failures_.doubts_jobs(nodes) ? 1 : max_jobs;
    while (coming < std::min(most, state_.attempts.waiting_for(nodes)) &&
           state_.jobs.live() < max_jobs) {
      submit(nodes);
      ++coming;
    }
  }
}

// A pilot without work ends by itself. A job that still waits in the queue cannot.
void JobLifetime::cancel_unneeded() {
  const bool others_wait =
      state_.jobs.live() >= state_.pool().max_jobs && state_.attempts.any_waits();
  for (PilotJob& job : state_.jobs.all()) {
    if (job.finished || job.submitting || job.unsure || job.began()) continue;
    if (state_.attempts.waiting_for(job.record.nodes) > 0) {
      job.needed = state_.now;
    } else if (others_wait || state_.now - job.needed >= state_.pool().idle) {
      cancel(job);
    }
  }
}

void JobLifetime::submit(std::int64_t nodes) {
  PilotJob job{state_.jobs.folder_of("sweepd-" + random_id()),
               {nodes, state_.pool().time, now_wall(), 0}};
  job.needed = state_.now;
  job.submitting = true;
  if (const auto made = job.folder.make(job.record, state_.manager.script(job.folder)); !made) {
    std::error_code ignored;
    std::filesystem::remove_all(job.folder.path(), ignored);
    return state_.attempts.refuse_waiting(nodes, made.error());
  }
  state_.manager.submit(job.folder, nodes, [this, name = job.name()](const SubmitAnswer& answer) {
    submitted(name, answer);
  });
  state_.jobs.add(std::move(job));
}

void JobLifetime::submitted(const std::string& name, const SubmitAnswer& answer) {
  PilotJob* job = state_.jobs.find(name);
  if (job == nullptr) return;
  job->submitting = false;
  if (answer.number > 0) {
    spdlog::info("pool `{}`: job {} submitted for {}", state_.settings.pool.name, answer.number,
                 allocation_text(state_.pool(), job->record.nodes));
    record_number(*job, answer.number);
  } else if (answer.why == NotSubmitted::kUnknown) {
    job->unsure = true;
    unreachable({ErrorCode::kUnavailable, answer.words});
  } else {
    refused(*job, answer);
  }
}

void JobLifetime::refused(PilotJob& job, const SubmitAnswer& answer) {
  const std::int64_t nodes = job.record.nodes;
  state_.jobs.finish(job, {"REFUSED", answer.words, "", ""});
  failures_.doubt_jobs(nodes);
  if (answer.why == NotSubmitted::kForGood) {
    std::vector<AttemptId> all;  // the refusal concerns every attempt with this allocation
    for (const PilotAttempt& attempt : state_.attempts.all()) {
      if (attempt.waits_for(nodes)) all.push_back(attempt.id);
    }
    return failures_.job_failed(nodes, all, answer.words);
  }
  const ErrorCode code = answer.why == NotSubmitted::kTooLarge ? ErrorCode::kFailedPrecondition
                                                               : ErrorCode::kUnavailable;
  state_.attempts.refuse_waiting(nodes, {code, answer.words});
}

void JobLifetime::cancel(PilotJob& job) {
  if (std::exchange(job.cancelled, true)) return;
  if (!job.told_to_end) order_end(job);  // tells the next daemon who requested the end
  if (job.record.number == 0) return;
  state_.manager.cancel(job.record.number, [this, name = job.name()](const Result<void>& done) {
    if (done) return;
    unreachable(done.error());
    PilotJob* running = state_.jobs.find(name);
    if (running == nullptr || !running->began()) return;
    running->cancelled = false;  // the watchdog tries it again later
    running->obeyed = state_.now;
  });
}

void JobLifetime::poll() {
  const auto& jobs = state_.jobs.all();
  const bool any = state_.jobs.live() > 0 || (!trouble_.empty() && !state_.attempts.empty());
  const bool urgent = trouble_.empty() && std::ranges::any_of(jobs, &PilotJob::unsure);
  if (!any || polling_ || (state_.now < next_poll_ && !urgent)) return;
  polling_ = true;
  next_poll_ = state_.now + state_.pool().poll;
  state_.manager.list([this](const auto& queue) { listed(queue); });
}

void JobLifetime::unreachable(const Error& why) {
  if (!trouble_.empty()) return;
  trouble_ = fmt::format("the controller of pool `{}` does not answer since {}: {}",
                         state_.settings.pool.name, to_text(now_wall()), why.message);
  spdlog::warn("{}", trouble_);
}

void JobLifetime::listed(const Result<std::vector<QueuedJob>>& queue) {
  polling_ = false;
  if (!queue) return unreachable(queue.error());
  if (!trouble_.empty()) {
    spdlog::info("the controller of pool `{}` answers", state_.settings.pool.name);
  }
  trouble_.clear();
  for (PilotJob& job : state_.jobs.all()) {
    if (job.submitting || job.finished) continue;
    const auto found = std::ranges::find(*queue, job.name(), &QueuedJob::name);
    if (found != queue->end()) {
      found_queued(job, *found);
    } else if (!job.asking) {
      ask_how_it_ended(job);
    }
  }
}

void JobLifetime::found_queued(PilotJob& job, const QueuedJob& queued) {
  job.queued = queued;
  if (queued.runs && queued.ends) job.ends = queued.ends;
  if (job.record.number == 0) record_number(job, queued.number);
  job.unsure = false;
  PilotAttempt* attempt = state_.attempt_of(job);
  if (attempt != nullptr && attempt->in_doubt && queued.runs) ++*attempt->in_doubt;
  if (!queued.waits || job.cancelled) return;
  if (job.told_to_end) return cancel(job);  // an earlier daemon did not come to it
  if (!queued.waits_for_ever) return;
  cancel(job);
  state_.attempts.refuse_waiting(
      job.record.nodes, {ErrorCode::kFailedPrecondition,
                         fmt::format("{} would never start job {}: {}", state_.manager.name(),
                                     queued.number, queued.reason)});
}

void JobLifetime::ask_how_it_ended(PilotJob& job) {
  look_at(job, now_instant());  // it may have reported why
  if (job.finished) return;
  // It was never submitted, or the submission never reached the manager.
  if (job.record.number == 0) return state_.jobs.never_submitted(job);
  job.asking = true;
  state_.manager.explain(job.record.number,
                         [this, name = job.name()](const Result<std::optional<EndedJob>>& answer) {
                           PilotJob* asked = state_.jobs.find(name);
                           if (asked == nullptr) return;
                           asked->asking = false;
                           if (!answer) return unreachable(answer.error());
                           // Else the queue was read between two states.
                           if (*answer) ended(*asked, **answer);
                         });
}

void JobLifetime::ended(PilotJob& job, const EndedJob& end) {
  look_at(job, now_instant());
  if (job.finished) return;
  const bool early = !job.began() && !job.told_to_end;
  const std::int64_t nodes = job.record.nodes;
  const JobCause cause = state_.manager.cause_of(end);
  const JobEvidence evidence{state_.manager.name(),
                             job.record.number,
                             end,
                             cause,
                             job.record.time,
                             "",
                             last_line_of(job.folder.output()),
                             job.folder.began() ? JobStage::kPrologue : JobStage::kAsked};
  const std::vector<AttemptId> meant = whose(job);
  // After the death of a daemon there may be two: one that was stopped and one that followed it.
  while (PilotAttempt* attempt = state_.attempt_of(job)) {
    const AttemptId id = attempt->id;
    follower_.lose(job, *attempt, end);
    if (PilotAttempt* left = state_.attempts.find(id); left != nullptr && left->job == job.name())
      break;
  }
  state_.jobs.finish(job, end);
  if (!early) return;
  if (cause != JobCause::kCancelled) failures_.doubt_jobs(nodes);
  if (is_of_this_job_alone(cause)) {
    for (const AttemptId& id : meant) state_.attempts.lost(id, lost_with_job(evidence));
  } else {
    failures_.job_failed(nodes, meant, all_words_of(evidence));
  }
}

}  // namespace sweepd
