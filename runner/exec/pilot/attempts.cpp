#include "runner/exec/pilot/attempts.h"

#include <filesystem>

#include "runner/exec/forkable.h"
#include "runner/model/vocabulary/plugin.h"

namespace sweepd {

PilotAttempt make_attempt(const PilotSettings& settings, const AttemptFolder& folder,
                          const AttemptRequest& request) {
  PilotAttempt attempt{request.attempt, folder, compute_needs(*settings.pool.slurm, request)};
  attempt.forked =
      settings.prefork == Prefork::kYes && attempt.needs.nodes == 1 && may_be_forked(request);
  const std::string run_by = request.program ? request.program->base : request.workload;
  // A plugin may need LibTorch, which only the other worker has.
  attempt.light =
      attempt.forked && run_by != kPluginBase && settings.light.workloads.contains(run_by);
  return attempt;
}

PilotAttempt* PilotAttempts::find(const AttemptId& id) {
  const auto found = std::ranges::find(attempts_, id, &PilotAttempt::id);
  return found == attempts_.end() ? nullptr : &*found;
}

PilotAttempt* PilotAttempts::given_to(const std::string& job) {
  const auto found = std::ranges::find(attempts_, job, &PilotAttempt::job);
  return found == attempts_.end() ? nullptr : &*found;
}

std::int64_t PilotAttempts::waiting_for(std::int64_t nodes) const {
  return std::ranges::count_if(
      attempts_, [nodes](const PilotAttempt& attempt) { return attempt.waits_for(nodes); });
}

void PilotAttempts::finish(const AttemptId& id, ExecutorEvent last) {
  report(std::move(last));
  // A copy, since `id` may be that of the attempt that is removed.
  attempts_.remove_if([gone = id](const PilotAttempt& attempt) { return attempt.id == gone; });
}

void PilotAttempts::not_started(const AttemptId& id, Error why) {
  finish(id, AttemptNotStarted{id, std::move(why)});
}

void PilotAttempts::lost(const AttemptId& id, AttemptLost how) {
  how.attempt = id;
  finish(id, std::move(how));
}

void PilotAttempts::over(const AttemptId& id) {
  finish(id, AttemptOver{id});
}

void PilotAttempts::refuse_waiting(std::int64_t nodes, const Error& why) {
  attempts_.remove_if([&](const PilotAttempt& attempt) {
    if (attempt.waits_for(nodes)) report(AttemptNotStarted{attempt.id, why});
    return attempt.waits_for(nodes);
  });
}

void PilotAttempts::give_back(PilotAttempt& attempt) {
  std::error_code ignored;
  std::filesystem::remove(attempt.folder.path() / "job", ignored);
  attempt.job.clear();
  attempt.number = 0;
  if (attempt.killed) {
    not_started(attempt.id, {ErrorCode::kUnavailable, "killed while it waited for a job"});
  }
}

}  // namespace sweepd
