#include "runner/exec/pilot/matching.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace sweepd {
namespace {

// The last attempt of a job may not be stored yet when it gets the next one.
constexpr std::int64_t kKeptRuns = 4;

}  // namespace

bool Matching::is_coming(const PilotJob& job, std::int64_t nodes) const {
  return !job.finished && !job.told_to_end && job.record.nodes == nodes &&
         (job.order == 0 || state_.attempt_of(job) == nullptr);
}

std::int64_t Matching::coming(std::int64_t nodes) const {
  return std::ranges::count_if(state_.jobs.all(),
                               [&](const PilotJob& job) { return is_coming(job, nodes); });
}

const PilotAttempt* Matching::meant_for(const PilotJob& job) const {
  const std::int64_t nodes = job.record.nodes;
  if (!is_coming(job, nodes)) return nullptr;
  const auto& attempts = state_.attempts.all();
  auto attempt = attempts.begin();
  for (const PilotJob& other : state_.jobs.all()) {
    if (!is_coming(other, nodes)) continue;
    attempt = std::find_if(attempt, attempts.end(),
                           [nodes](const PilotAttempt& one) { return one.waits_for(nodes); });
    if (attempt == attempts.end()) return nullptr;
    if (&other == &job) return &*attempt;
    ++attempt;
  }
  return nullptr;
}

// The job that an attempt is meant for; without one, the first that it may get.
const PilotJob* Matching::coming_for(const PilotAttempt& attempt) const {
  const PilotJob* first = nullptr;
  for (const PilotJob& job : state_.jobs.all()) {
    if (!is_coming(job, attempt.needs.nodes)) continue;
    if (meant_for(job) == &attempt) return &job;
    if (first == nullptr) first = &job;
  }
  return first;
}

AttemptPlace Matching::place_of(const PilotAttempt& attempt) const {
  const PilotJob* job = state_.jobs.find(attempt.job);
  if (job == nullptr) job = coming_for(attempt);
  AttemptPlace place;
  if (job == nullptr) return place;
  place.allocation = allocation_of(*job);
  if (!attempt.waits()) place.nodes = place.allocation.nodes;
  return place;
}

// Whether the attempt can end before the job does. One that could not even in a new job begins in a
// new one.
bool Matching::fits(const PilotAttempt& attempt, const PilotJob& job) const {
  if (attempt.needs.nodes != job.record.nodes) return false;
  const Duration spare = state_.settings.timing.spare;
  if (!shares_jobs(state_.pool(), attempt.needs.timeout, spare)) return job.order == 0;
  const Duration need{attempt.needs.timeout.ns + spare.ns};
  return !job.ends || *job.ends - now_wall() >= need;
}

void Matching::give_work() {
  for (PilotJob& job : state_.jobs.all()) give_work_to(job);
}

void Matching::give_work_to(PilotJob& job) {
  const bool free = job.report.state == "idle" || job.report.state == "over";
  if (!free || job.told_to_end || job.finished || state_.attempt_of(job) != nullptr) return;
  if (job.report.number < job.order) return;  // it has not taken the last order
  bool others_wait = false;
  for (PilotAttempt& attempt : state_.attempts.all()) {
    if (!attempt.waits()) continue;
    if (fits(attempt, job)) return give(job, attempt);
    others_wait |=
        attempt.needs.nodes == job.record.nodes || state_.jobs.live() >= state_.pool().max_jobs;
  }
  if (others_wait) order_end(job);
}

void Matching::give(PilotJob& job, PilotAttempt& attempt) {
  const std::int64_t number = job.order + 1;
  if (const auto written = write_order(job, attempt, number); !written) {
    return state_.attempts.not_started(attempt.id, written.error());
  }
  job.order = number;
  job.needed = state_.now;
  attempt.job = job.name();
  attempt.number = number;
  attempt.given = state_.now;
}

Result<void> Matching::write_order(const PilotJob& job, const PilotAttempt& attempt,
                                   std::int64_t number) const {
  const std::filesystem::path run = job.folder.run(number);
  std::error_code error;
  std::filesystem::remove_all(job.folder.run(number - kKeptRuns), error);  // stored by now
  std::filesystem::create_directory(run, error);
  if (error) {
    return Error{ErrorCode::kIo,
                 fmt::format("cannot create {}: {}", run.string(), error.message())};
  }
  if (auto written = write_order_of_attempt(attempt.folder.path(), {job.name(), number});
      !written) {
    return written;
  }
  const AttemptNeeds& needs = attempt.needs;
  // A pilot of an earlier daemon reads everything after ON_GPUS as the number of nodes.
  return job.folder.order(fmt::format(
      "{} {} {} {} {} {} {}{}", number, attempt.forked ? "fork" : "run", attempt.id, needs.ranks,
      needs.ranks_per_node, needs.on_gpus ? 1 : 0, needs.nodes, attempt.light ? " light" : ""));
}

}  // namespace sweepd
