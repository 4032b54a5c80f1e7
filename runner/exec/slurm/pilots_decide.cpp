// The part of the pilots that decides: which job runs which attempt, which job is needed.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <set>

#include "runner/exec/slurm/pilots.h"

namespace sweepd {
namespace {

// The last attempt of a job may not be stored yet when it gets the next one.
constexpr std::int64_t kKeptRuns = 4;

}  // namespace

void Pilots::decide(Instant now) {
  for (Job& job : jobs_) give_work(job, now);
  end_idle(now);
  submit_needed(now);
}

std::int64_t Pilots::waiting_for(std::int64_t nodes) const {
  return std::ranges::count_if(attempts_, [nodes](const Attempt& attempt) {
    return attempt.job.empty() && attempt.ask.nodes == nodes;
  });
}

// It has no attempt, and takes one of this size once it runs.
bool Pilots::is_coming(const Job& job, std::int64_t nodes) {
  return !job.finished && !job.told_to_end && !job.attempt && job.record.nodes == nodes;
}

// The first waiting attempt is meant for the first job, the second for the second. A job gets its
// attempt when it runs; until then the status, and the attempt that an early end of the job
// affects, follow this order.
const Pilots::Attempt* Pilots::meant_for(const Job& job) const {
  auto attempt = attempts_.begin();
  const auto waits = [&](const Attempt& other) {
    return other.job.empty() && other.ask.nodes == job.record.nodes;
  };
  for (const Job& other : jobs_) {
    if (!is_coming(other, job.record.nodes)) continue;
    attempt = std::find_if(attempt, attempts_.end(), waits);
    if (attempt == attempts_.end() || &other == &job) break;
    ++attempt;
  }
  return attempt == attempts_.end() ? nullptr : &*attempt;
}

// The job that an attempt is meant for; without one, the first that it may get.
const Pilots::Job* Pilots::coming_for(const Attempt& attempt) const {
  const Job* first = nullptr;
  for (const Job& job : jobs_) {
    if (!is_coming(job, attempt.ask.nodes)) continue;
    if (meant_for(job) == &attempt) return &job;
    if (first == nullptr) first = &job;
  }
  return first;
}

std::int64_t Pilots::live_jobs() const {
  return std::ranges::count_if(jobs_, [](const Job& job) { return !job.finished; });
}

// Whether the attempt can end before the job does. One that could not even in a new job begins in a
// new one.
bool Pilots::fits(const Attempt& attempt, const Job& job) const {
  if (attempt.ask.nodes != job.record.nodes) return false;
  const Duration spare = settings_.timing.spare;
  if (!shares_jobs(pool_, attempt.ask.timeout, spare)) return job.order == 0;
  const Duration need{attempt.ask.timeout.ns + spare.ns};
  return !job.ends || *job.ends - now_wall() >= need;
}

void Pilots::give_work(Job& job, Instant now) {
  const bool free = job.report.state == "idle" || job.report.state == "over";
  if (!free || job.attempt || job.told_to_end || job.finished) return;
  if (job.report.number < job.order) return;  // it has not taken the last order
  bool others_wait = false;
  for (Attempt& attempt : attempts_) {
    if (!attempt.job.empty()) continue;
    if (fits(attempt, job)) return give(job, attempt, now);
    others_wait |= attempt.ask.nodes == job.record.nodes || live_jobs() >= pool_.max_jobs;
  }
  if (others_wait) tell_to_end(job);
}

void Pilots::give(Job& job, Attempt& attempt, Instant now) {
  const std::int64_t number = job.order + 1;
  std::error_code error;
  std::filesystem::remove_all(job.folder.run(number - kKeptRuns), error);  // stored by now
  std::filesystem::create_directory(job.folder.run(number), error);
  Result<void> done;
  if (error) {
    done = Error{ErrorCode::kIo, fmt::format("cannot create {}: {}",
                                             job.folder.run(number).string(), error.message())};
  }
  if (done) done = write_order_of_attempt(attempt.folder.path(), {job.folder.name(), number});
  const SlurmAsk& ask = attempt.ask;
  if (done) {
    // A pilot of an earlier daemon reads everything after ON_GPUS as the number of nodes.
    done = job.folder.order(fmt::format(
        "{} {} {} {} {} {} {}{}", number, attempt.forked ? "fork" : "run", attempt.id, ask.ranks,
        ask.ranks_per_node, ask.on_gpus ? 1 : 0, ask.nodes, attempt.light ? " light" : ""));
  }
  if (!done) {
    events_.emplace_back(AttemptNotStarted{attempt.id, done.error()});
    return forget(AttemptId(attempt.id));
  }
  job.order = number;
  job.attempt = attempt.id;
  job.needed = now;
  attempt.job = job.folder.name();
  attempt.number = number;
  attempt.given = now;
}

void Pilots::submit_needed(Instant now) {
  if (!trouble_.empty()) return;
  std::set<std::int64_t> sizes;
  for (const Attempt& attempt : attempts_) {
    if (attempt.job.empty()) sizes.insert(attempt.ask.nodes);
  }
  for (const std::int64_t nodes : sizes) {
    std::int64_t coming =
        std::ranges::count_if(jobs_, [nodes](const Job& job) { return is_coming(job, nodes); });
    // The last job's failure before its script would meet all others too, so one job tests it.
    const std::int64_t most = doubtful_.contains(nodes) ? 1 : pool_.max_jobs;
    while (coming < std::min(most, waiting_for(nodes)) && live_jobs() < pool_.max_jobs) {
      submit(nodes, now);
      ++coming;
    }
  }
}

// A pilot without work ends by itself. A job that still waits in Slurm's queue cannot.
void Pilots::end_idle(Instant now) {
  const bool full = live_jobs() >= pool_.max_jobs;
  const bool others_wait =
      std::ranges::any_of(attempts_, [](const Attempt& attempt) { return attempt.job.empty(); });
  for (Job& job : jobs_) {
    if (job.finished || job.submitting || job.unsure || !job.report.state.empty()) continue;
    if (waiting_for(job.record.nodes) > 0) {
      job.needed = now;
    } else if ((full && others_wait) || now - job.needed >= pool_.idle) {
      cancel(job);
    }
  }
}

void Pilots::tell_to_end(Job& job) {
  job.told_to_end = true;
  const auto told = job.folder.order(fmt::format("{} end", ++job.order));
  if (!told) spdlog::warn("{}", told.error().message);  // it ends by itself when it is idle
}

void Pilots::finish(Job& job, const EndedJob& end) {
  job.finished = true;
  const std::string words = end.state.empty() ? "unknown to Slurm" : end.state;
  if (job.record.number == 0) {
    spdlog::info("pool `{}`: no job: {}", settings_.pool.name, words);
  } else {
    spdlog::info("pool `{}`: job {} ended: {}", settings_.pool.name, job.record.number, words);
  }
  const auto written = job.folder.end(end);
  if (!written) spdlog::warn("{}", written.error().message);
  keep(job.folder.path());
}

// Those that wait for a job of this size cannot have one now.
void Pilots::refuse_waiting(std::int64_t nodes, const Error& why) {
  attempts_.remove_if([&](const Attempt& attempt) {
    if (!attempt.job.empty() || attempt.ask.nodes != nodes) return false;
    events_.emplace_back(AttemptNotStarted{attempt.id, why});
    return true;
  });
}

}  // namespace sweepd
