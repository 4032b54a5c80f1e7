// The part of the pilots that talks to Slurm: submits jobs, follows the queue, reads how jobs
// ended.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "runner/base/text.h"
#include "runner/exec/slurm/pilot_script.h"
#include "runner/exec/slurm/pilots.h"

namespace sweepd {
// One for all jobs.
void Pilots::poll_queue(Instant now) {
  const bool any = std::ranges::any_of(jobs_, [](const Job& job) { return !job.finished; }) ||
                   (!trouble_.empty() && !attempts_.empty());
  const bool urgent =
      trouble_.empty() && std::ranges::any_of(jobs_, [](const Job& job) { return job.unsure; });
  if (!any || polling_ || (now < next_poll_ && !urgent)) return;
  polling_ = true;
  next_poll_ = now + pool_.poll;
  shell_.run({"squeue", "--me", "--noheader", kSqueueFormat},
             [this](const Said& said) { hear_queue(said); });
}

void Pilots::unreachable(const std::string& words) {
  if (!trouble_.empty()) return;
  trouble_ = fmt::format("the controller of pool `{}` does not answer since {}: {}",
                         settings_.pool.name, to_text(now_wall()), last_line(words));
  spdlog::warn("{}", trouble_);
}

void Pilots::hear_queue(const Said& said) {
  polling_ = false;
  if (!said.ok()) return unreachable(said.text);
  if (!trouble_.empty()) spdlog::info("the controller of pool `{}` answers", settings_.pool.name);
  trouble_.clear();
  const std::vector<QueuedJob> queue = parse_squeue(said.text);
  for (Job& job : jobs_) {
    if (job.submitting || job.finished) continue;
    const auto found = std::ranges::find(queue, job.folder.name(), &QueuedJob::name);
    if (found != queue.end()) {
      hear_job(job, *found);
    } else {
      vanished(job);
    }
  }
}

void Pilots::hear_job(Job& job, const QueuedJob& queued) {
  job.queued = queued;
  if (queued.state == "RUNNING" && queued.ends) job.ends = queued.ends;
  if (job.record.number == 0) {
    job.record.number = queued.number;
    if (!job.folder.write_record(job.record)) spdlog::warn("job {} has no record", queued.number);
  }
  job.unsure = false;
  Attempt* attempt = job.attempt ? find(*job.attempt) : nullptr;
  if (attempt != nullptr && attempt->in_doubt && queued.state == "RUNNING") ++*attempt->in_doubt;
  if (queued.state != "PENDING" || job.cancelled) return;
  if (job.told_to_end) return cancel(job);  // an earlier daemon did not come to it
  if (!waits_for_ever(queued.reason)) return;
  cancel(job);
  refuse_waiting(job.record.nodes,
                 {ErrorCode::kFailedPrecondition,
                  fmt::format("Slurm would never start job {}: {}", queued.number, queued.reason)});
}

void Pilots::vanished(Job& job) {
  if (job.asking) return;
  look_at(job, now_instant());  // it may have reported why
  if (job.finished) return;
  if (job.record.number == 0) return never_submitted(job);
  job.asking = true;
  shell_.run({"scontrol", "--oneliner", "show", "job", std::to_string(job.record.number)},
             [this, name = job.folder.name()](const Said& said) { hear_end(name, said); });
}

// sbatch never ran, or never reached the controller. If the job starts anyway, it ends.
void Pilots::never_submitted(Job& job) {
  tell_to_end(job);
  finish(job, {"NEVER_SUBMITTED", "", "", ""});
}

void Pilots::hear_end(const std::string& name, const Said& said) {
  Job* job = find_job(name);
  if (job == nullptr) return;
  job->asking = false;
  if (!said.ok() && is_unreachable(said.text)) return unreachable(said.text);
  const EndedJob end = said.ok() ? parse_scontrol_job(said.text) : EndedJob{};
  // The queue was read between two states.
  if (end.state == "PENDING" || end.state == "RUNNING" || end.state == "COMPLETING") return;
  ended(*job, end);
}

void Pilots::ended(Job& job, const EndedJob& end) {
  look_at(job, now_instant());
  if (job.finished) return;
  const bool began = !job.report.state.empty();
  const std::int64_t nodes = job.record.nodes;
  const JobStage stage = job.folder.began() ? JobStage::kPrologue : JobStage::kAsked;
  const JobEvidence evidence{
      job.record.number, end, job.record.time, "", last_line_of(job.folder.output()), stage};
  const std::vector<AttemptId> meant = whose(job);
  if (job.attempt) lose(job, *find(*job.attempt), end);
  finish(job, end);
  if (began || job.told_to_end) return;
  if (end.state != "CANCELLED") doubtful_.insert(nodes);
  if (!is_of_this_job_alone(end)) {
    job_failed(nodes, meant, all_words_of(evidence));
  } else if (!meant.empty()) {
    lose_meant(*find(meant.front()), evidence);
  }
}

void Pilots::submit(std::int64_t nodes, Instant now) {
  Job job{JobFolder(folder_ / ("sweepd-" + random_id())), {}};
  job.record = {nodes, pool_.time, now_wall(), 0};
  job.needed = now;
  job.submitting = true;
  const std::string script =
      pilot_script({settings_.pool, settings_.worker, settings_.light.program, job.folder.path(),
                    settings_.timing.reload});
  if (const auto made = job.folder.make(job.record, script); !made) {
    std::error_code ignored;
    std::filesystem::remove_all(job.folder.path(), ignored);
    return refuse_waiting(nodes, made.error());
  }
  shell_.run(sbatch_command(pool_, job.folder, nodes),
             [this, name = job.folder.name()](const Said& said) { hear_submit(name, said); });
  jobs_.push_back(std::move(job));
}

void Pilots::hear_submit(const std::string& name, const Said& said) {
  Job* job = find_job(name);
  if (job == nullptr) return;
  job->submitting = false;
  const auto number = said.ok() ? parse_sbatch(said.text) : std::nullopt;
  if (number) {
    job->record.number = *number;
    spdlog::info("pool `{}`: job {} submitted for {}", settings_.pool.name, *number,
                 allocation_text(pool_, job->record.nodes));
    // If it cannot be written, the job is found by its name.
    if (!job->folder.write_record(job->record)) spdlog::warn("job {} has no record", *number);
    return;
  }
  if (said.exit < 0 || said.ok() || is_unreachable(said.text)) {
    job->unsure = true;
    return unreachable(said.text);
  }
  const std::int64_t nodes = job->record.nodes;
  finish(*job, {"REFUSED", one_line(said.text), "", ""});
  doubtful_.insert(nodes);
  if (is_refused_for_good(said.text)) {
    std::vector<AttemptId> all;  // the refusal concerns every attempt with this allocation
    for (const Attempt& attempt : attempts_) {
      if (attempt.job.empty() && attempt.ask.nodes == nodes) all.push_back(attempt.id);
    }
    return job_failed(nodes, all, "sbatch refused: " + one_line(said.text));
  }
  const ErrorCode code =
      is_too_large(said.text) ? ErrorCode::kFailedPrecondition : ErrorCode::kUnavailable;
  refuse_waiting(nodes, {code, "sbatch refused: " + one_line(said.text)});
}

void Pilots::cancel(Job& job) {
  if (std::exchange(job.cancelled, true)) return;
  if (!job.told_to_end) tell_to_end(job);  // tells the next daemon who requested the end
  if (job.record.number == 0) return;
  shell_.run({"scancel", std::to_string(job.record.number)},
             [this, name = job.folder.name()](const Said& said) {
               if (said.ok() || !is_unreachable(said.text)) return;
               unreachable(said.text);
               Job* running = find_job(name);
               if (running == nullptr || running->report.state.empty()) return;
               running->cancelled = false;  // pilots_watchdog.cpp tries it again later
               running->obeyed = now_;
             });
}

}  // namespace sweepd
