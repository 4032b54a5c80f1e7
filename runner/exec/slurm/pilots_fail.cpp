// The part of the pilots for failures that would meet the next attempt too: sbatch refuses, the
// prologue fails, the worker is not on the node.
//
// Temporary failures cost no attempt: it goes back to its place in the queue (AttemptNotStarted),
// and the pool pauses. Permanent failures (doubts.h) become the outcome of the one attempt that the
// job was for: a queue of 10,000 may neither lose all attempts to a prologue that is broken for an
// hour, nor submit a job for each. The dispatcher's pause after such an end grows to ten minutes,
// so a night costs some sixty attempts and as many jobs, and `retry` brings them back. Only a
// refusal by sbatch ends all attempts that wait for the same allocation, at most `max_jobs`, since
// it concerns all of them.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "runner/exec/slurm/pilots.h"

namespace sweepd {
namespace {

// "/jobs/a/pilot.sh: line 31: /worker: No such file" -> "/worker: No such file"
std::string without_script(const std::string& words, const std::string& script) {
  const std::string before = script + ": line ";
  if (!words.starts_with(before)) return words;
  const std::size_t end = words.find(": ", before.size());
  return end == std::string::npos ? words : words.substr(end + 2);
}

}  // namespace

// The attempt that is affected by the end of a job that never took one.
std::vector<AttemptId> Pilots::whose(const Job& job) const {
  const Attempt* meant = is_coming(job, job.record.nodes) ? meant_for(job) : nullptr;
  return meant == nullptr ? std::vector<AttemptId>() : std::vector{meant->id};
}

void Pilots::end_for(const AttemptId& id, const std::string& words) {
  AttemptLost lost;
  lost.attempt = id;
  lost.ending = {Failed{words, ""}, 0};
  lost.next_too = true;
  events_.emplace_back(std::move(lost));
  forget(AttemptId(id));
}

// No attempt of this many nodes got a job. Those that it does not end wait elsewhere.
void Pilots::job_failed(std::int64_t nodes, const std::vector<AttemptId>& whose,
                        const std::string& words) {
  if (doubts_.failed(allocation_text(pool_, nodes), now_)) {
    for (const AttemptId& id : whose) end_for(id, words);
  }
  refuse_waiting(nodes, {ErrorCode::kUnavailable, words});
}

// The job has taken the attempt, and could not run it.
void Pilots::step_failed(const Job& job, const AttemptId& id, const std::string& words) {
  if (doubts_.failed("a step on " + job.report.nodes, now_)) return end_for(id, words);
  events_.emplace_back(AttemptNotStarted{id, {ErrorCode::kUnavailable, words}});
  forget(AttemptId(id));
}

// Returns true if the worker could not be loaded, and the attempt has ended because of that. Until
// the failure is certain, the dispatcher sees it in the exit status and the log, as on its own
// machine.
bool Pilots::is_not_loaded(const Job& job, const Attempt& attempt, const RunFiles& files) {
  const std::string step = "a step on " + job.report.nodes;
  const auto failed = std::ranges::find_if(files.exits, [&](const auto& rank) {
    std::error_code ignored;  // a journal that cannot be read has nothing
    return rank.second == kExitNotLoaded &&
           !std::filesystem::exists(attempt.folder.events(rank.first), ignored);
  });
  if (failed == files.exits.end()) {
    doubts_.worked(step);
    return false;
  }
  if (attempt.killed || attempt.stopped || !doubts_.failed(step, now_)) return false;
  const int rank = failed->first;
  const auto began = files.began.find(rank);
  end_for(
      attempt.id,
      fmt::format(
          "no worker on {}: {}", began == files.began.end() ? job.report.nodes : began->second.node,
          without_script(last_line_of(attempt.folder.log(rank)), job.folder.script().string())));
  return true;
}

}  // namespace sweepd
