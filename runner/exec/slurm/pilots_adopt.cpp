// The part of the pilots that finds an earlier daemon's jobs and the attempts in them. Their
// folder may not be mounted yet.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "runner/base/folder_entries.h"
#include "runner/exec/slurm/pilots.h"

namespace sweepd {
namespace {

// Until a folder that cannot be read is looked at again.
constexpr Duration kSight = seconds(2);

}  // namespace

// Finds the jobs of an earlier daemon, besides those that are known. Returns false if their folder
// cannot be read: it may not be mounted yet, which does not mean that there are none.
bool Pilots::load(Instant now) {
  std::vector<std::pair<std::int64_t, std::filesystem::path>> old;
  auto entries = entries_of(folder_);
  if (!entries && entries.error().code == ErrorCode::kNotFound) {
    // The dispatcher has made the folder above it, so it is missing only if nothing is mounted.
    const auto above = entries_of(folder_.parent_path());
    entries = above ? decltype(entries)(std::vector<std::filesystem::path>()) : above.error();
  }
  unread_ = entries ? "" : entries.error().message;
  if (!entries) return false;
  std::size_t found = 0;
  for (const std::filesystem::path& entry : *entries) {
    const JobFolder folder(entry);
    if (find_job(folder.name()) != nullptr || std::ranges::count(ended_, entry) > 0) continue;
    const auto record = folder.record();
    const bool has_ended = folder.has_ended();
    if (!has_ended && !folder.is_whole()) {
      Job job{folder, {}};
      never_submitted(job);
      continue;
    }
    if (!record || has_ended) {
      old.emplace_back(record ? record->asked.ns : 0, entry);
      continue;
    }
    Job job{folder, *record};
    job.order = folder.last_order().number;
    job.needed = now;
    job.unsure = record->number == 0;
    job.told_to_end = folder.last_order().verb == "end";
    jobs_.push_back(std::move(job));
    ++found;
  }
  std::sort(old.begin(), old.end());
  for (auto& [when, path] : old) keep(std::move(path));
  if (found > 0) spdlog::info("pool `{}`: {} jobs found again", settings_.pool.name, found);
  return true;
}

std::string Pilots::blindness() const {
  if (unseen_.empty()) return "";
  return fmt::format(
      "pool `{}`: {}; until it can be read, nobody knows what became of {} there that an earlier "
      "daemon gave to it, and nothing more is (mount it, or create it if it is gone for good)",
      settings_.pool.name, unread_,
      unseen_.size() == 1 ? "an attempt" : fmt::format("{} attempts", unseen_.size()));
}

// All ranks count as alive, even if they have ended: their ends are then reported with the known
// details.
Adoption Pilots::adopt(const AttemptFolder& folder, const AttemptId& id, Instant now) {
  now_ = now;
  if (!loaded_) loaded_ = load(now);
  Adoption adoption;
  const auto request = read_request(folder.request());
  const auto given = read_order_of_attempt(folder.path());
  const JobFolder job_folder(folder_ / (given ? given->job : ""));
  if (!request || (given && !(loaded_ && job_folder.record()))) {
    // Only a readable folder proves that a file is missing.
    adoption.incomplete = load(now);
    adoption.waits = !adoption.incomplete;
    if (adoption.waits) unseen_.push_back({id, folder});
    return adoption;
  }
  Attempt& attempt = attempts_.emplace_back(attempt_of(folder, *request));
  attempt.adopted = true;
  adoption.waits = true;
  if (!given) return adoption;
  attempt.job = given->job;
  attempt.number = given->number;
  attempt.given = now;
  const RunFiles files = job_folder.files_of(given->number);
  if (static_cast<std::int64_t>(files.began.size()) == attempt.ask.ranks) {
    attempt.started = true;
    adoption.waits = false;
    adoption.started = WallTime{0};
    for (const auto& [rank, begun] : files.began) {
      adoption.alive.push_back(rank);
      adoption.started = std::max(*adoption.started, begun.when);
    }
  }
  if (Job* job = find_job(given->job)) {
    attempt.killed = job_folder.last_order() == GivenOrder{given->number, "kill"};
    attempt.stopped = job_folder.last_order() == GivenOrder{given->number, "stop"};
    // It may be over, and the job may have another one by now.
    follow(*job, attempt, job_folder.report());
    if (find(id) != nullptr) job->attempt = id;
    return adoption;
  }
  // The job has ended, and so did the daemon before it stored the result.
  Job ended{job_folder, *job_folder.record()};
  ended.told_to_end = job_folder.last_order().verb == "end";
  const PilotReport report = job_folder.report();
  ended.report = report;
  follow(ended, attempt, report);
  if (find(id) != nullptr) lose(ended, attempt, job_folder.ended());
  return adoption;
}

void Pilots::adopt_unseen(Instant now) {
  if (unseen_.empty() || now < next_sight_) return;
  next_sight_ = now + kSight;
  for (const Unseen& unseen : std::exchange(unseen_, {})) {
    const auto before = static_cast<std::ptrdiff_t>(events_.size());
    const Adoption found = adopt(unseen.folder, unseen.id, now);
    if (!unseen_.empty() && unseen_.back().id == unseen.id) {
      unseen_.back().killed = unseen.killed;
      continue;
    }
    if (found.incomplete) {
      events_.emplace_back(
          AttemptNotStarted{unseen.id, {ErrorCode::kUnavailable, "the folder of its job is gone"}});
    } else if (!found.waits) {  // before `adopt`'s reports on it
      events_.insert(events_.begin() + before, AttemptStarted{unseen.id, found.started});
    }
    if (unseen.killed) kill(unseen.id);
  }
  if (unseen_.empty()) spdlog::info("pool `{}`: its folder can be read", settings_.pool.name);
}

}  // namespace sweepd
