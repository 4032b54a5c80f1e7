// The pilots' functions that the executor calls.
#include "runner/exec/slurm/pilots.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "runner/exec/forkable.h"
#include "runner/model/program.h"

namespace sweepd {
namespace {

// Ended jobs whose folders are kept, for users and for attempts whose results are not stored yet.
std::size_t kept_jobs(const SlurmPool& pool) {
  return static_cast<std::size_t>(std::max<std::int64_t>(20, 2 * pool.max_jobs));
}

}  // namespace

Pilots::Pilots(SlurmSettings settings, Shell& shell, Instant now)
    : settings_(std::move(settings)),
      pool_(*settings_.pool.slurm),
      shell_(shell),
      folder_(std::filesystem::path(settings_.pool.runs) / "jobs" /
              (settings_.owner + "-" + settings_.pool.name)),
      doubts_(settings_.timing.moment),
      now_(now) {
  loaded_ = load(now);
}

void Pilots::keep(std::filesystem::path ended) {
  ended_.push_back(std::move(ended));
  if (ended_.size() <= kept_jobs(pool_)) return;
  std::error_code ignored;
  std::filesystem::remove_all(ended_.front(), ignored);
  ended_.pop_front();
}

Pilots::Attempt Pilots::attempt_of(const AttemptFolder& folder,
                                   const AttemptRequest& request) const {
  Attempt attempt{request.attempt, folder, slurm_ask(pool_, request)};
  attempt.forked =
      settings_.prefork == Prefork::kYes && attempt.ask.nodes == 1 && may_be_forked(request);
  const std::string run_by = request.program ? std::string(kProgramBase) : request.workload;
  attempt.light = attempt.forked && settings_.light.workloads.contains(run_by);
  return attempt;
}

void Pilots::start(const AttemptFolder& folder, const AttemptRequest& request, Instant now) {
  Attempt attempt = attempt_of(folder, request);
  if (const std::string why = refusal(settings_.pool, attempt.ask); !why.empty()) {
    events_.emplace_back(AttemptNotStarted{request.attempt, {ErrorCode::kFailedPrecondition, why}});
    return;
  }
  if (!unseen_.empty()) {
    events_.emplace_back(
        AttemptNotStarted{request.attempt, {ErrorCode::kUnavailable, blindness()}});
    return;
  }
  if (!loaded_) loaded_ = load(now);
  if (attempts_.empty()) doubts_.nothing_waited_until(now);
  attempts_.push_back(std::move(attempt));
}

void Pilots::stop(const AttemptId& id) {
  Attempt* attempt = find(id);
  Job* job = attempt == nullptr ? nullptr : find_job(attempt->job);
  if (job == nullptr || attempt->killed) return;
  attempt->stopped = true;
  const auto told = job->folder.order(fmt::format("{} stop", attempt->number));
  if (!told) spdlog::warn("attempt {}: {}", id, told.error().message);
}

void Pilots::kill(const AttemptId& id) {
  for (Unseen& unseen : unseen_) unseen.killed |= unseen.id == id;
  Attempt* attempt = find(id);
  if (attempt == nullptr) return;
  Job* job = find_job(attempt->job);
  if (job == nullptr) {
    events_.emplace_back(
        AttemptNotStarted{id, {ErrorCode::kUnavailable, "killed while it waited for a job"}});
    return forget(id);
  }
  attempt->killed = true;
  const auto told = job->folder.order(fmt::format("{} kill", attempt->number));
  if (!told) {
    spdlog::warn("attempt {}: {}; its job is cancelled", id, told.error().message);
    cancel(*job);
  }
}

void Pilots::take_back(const AttemptId& id) {
  const Attempt* attempt = find(id);
  if (attempt != nullptr && attempt->job.empty()) kill(id);
}

AttemptPlace Pilots::place_of(const Attempt& attempt) const {
  const Job* job = find_job(attempt.job);
  if (job == nullptr) job = coming_for(attempt);
  AttemptPlace place;
  if (job == nullptr) return place;
  place.allocation = allocation_of(*job);
  if (!attempt.job.empty()) place.nodes = place.allocation.nodes;
  return place;
}

std::map<AttemptId, AttemptPlace> Pilots::places() const {
  std::map<AttemptId, AttemptPlace> places;
  for (const Attempt& attempt : attempts_) places.emplace(attempt.id, place_of(attempt));
  return places;
}

PoolAllocation Pilots::allocation_of(const Job& job) {
  PoolAllocation allocation;
  if (job.record.number > 0) allocation.id = std::to_string(job.record.number);
  const bool runs = !job.report.state.empty();
  allocation.state = runs ? "RUNNING" : job.queued.state;
  allocation.nodes = runs ? job.report.nodes : job.queued.nodes;
  if (!runs) allocation.reason = job.queued.reason;
  if (!runs) allocation.starts = job.queued.starts;
  allocation.ends = job.ends;
  return allocation;
}

std::vector<PoolAllocation> Pilots::allocations() const {
  std::vector<PoolAllocation> all;
  for (const Job& job : jobs_) all.push_back(allocation_of(job));
  return all;
}

void Pilots::tick(Instant now) {
  now_ = now;
  adopt_unseen(now);
  for (Job& job : jobs_) {
    if (now - job.looked >= pause_of(job, now)) look_at(job, now);
  }
  decide(now);
  poll_queue(now);
  jobs_.remove_if([](const Job& job) { return job.finished; });
}

std::optional<Instant> Pilots::next(Instant now) const {
  std::optional<Instant> next;
  for (const Job& job : jobs_) {
    const Instant due = job.looked + pause_of(job, now);
    if (!next || due < *next) next = due;
  }
  if (!unseen_.empty()) next = next ? std::min(*next, next_sight_) : next_sight_;
  if (!trouble_.empty() && !attempts_.empty() && !polling_) {
    next = next ? std::min(*next, next_poll_) : next_poll_;
  }
  return next;
}

Pilots::Job* Pilots::find_job(const std::string& name) {
  return const_cast<Job*>(std::as_const(*this).find_job(name));
}

const Pilots::Job* Pilots::find_job(const std::string& name) const {
  const auto found = std::ranges::find_if(
      jobs_, [&](const Job& job) { return !job.finished && job.folder.name() == name; });
  return found == jobs_.end() ? nullptr : &*found;
}

Pilots::Attempt* Pilots::find(const AttemptId& id) {
  return const_cast<Attempt*>(std::as_const(*this).find(id));
}

const Pilots::Attempt* Pilots::find(const AttemptId& id) const {
  const auto found = std::ranges::find(attempts_, id, &Attempt::id);
  return found == attempts_.end() ? nullptr : &*found;
}

void Pilots::forget(const AttemptId& id) {
  for (Job& job : jobs_) {
    if (job.attempt == id) job.attempt.reset();
  }
  attempts_.remove_if([&](const Attempt& attempt) { return attempt.id == id; });
}

}  // namespace sweepd
