#include "runner/exec/pilot/adopter.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace sweepd {
namespace {

// Until a folder that cannot be read is looked at again.
constexpr Duration kSight = seconds(2);

}  // namespace

std::string Adopter::blindness() const {
  if (unseen_.empty()) return "";
  return fmt::format(
      "pool `{}`: {}; until it can be read, the state of {} that an earlier daemon gave to it is "
      "unknown, and nothing new starts (mount it, or create it if it is lost)",
      state_.settings.pool.name, state_.jobs.unread(),
      unseen_.size() == 1 ? "an attempt" : fmt::format("{} attempts", unseen_.size()));
}

std::optional<Instant> Adopter::next() const {
  return unseen_.empty() ? std::nullopt : std::optional(next_look_);
}

void Adopter::kill(const AttemptId& attempt) {
  for (Unseen& unseen : unseen_) unseen.killed |= unseen.id == attempt;
}

// All ranks count as alive, even if they have ended: their ends are then reported with the known
// details.
Adoption Adopter::adopt(const AttemptFolder& folder, const AttemptId& id) {
  const bool loaded = state_.jobs.load_once(state_.now);
  Adoption adoption;
  const auto request = read_request(folder.request());
  const auto given = read_order_of_attempt(folder.path());
  const JobFolder job_folder = state_.jobs.folder_of(given ? given->job : "");
  if (!request || (given && !(loaded && job_folder.record()))) {
    // Only a readable folder proves that a file is missing.
    adoption.incomplete = state_.jobs.load(state_.now);
    adoption.waits = !adoption.incomplete;
    if (adoption.waits) unseen_.push_back({id, folder});
    return adoption;
  }
  PilotAttempt& attempt = state_.attempts.add(make_attempt(state_.settings, folder, *request));
  adoption.waits = true;
  if (!given) return adoption;
  attempt.job = given->job;
  attempt.number = given->number;
  attempt.given = state_.now;
  const RunFiles files = job_folder.files_of(given->number);
  if (static_cast<std::int64_t>(files.began.size()) == attempt.needs.ranks) {
    attempt.started = true;
    adoption.waits = false;
    adoption.started = WallTime{0};
    for (const auto& [rank, begun] : files.began) {
      adoption.alive.push_back(rank);
      adoption.started = std::max(*adoption.started, begun.when);
    }
  }
  follow_found(attempt);
  return adoption;
}

// It may be over, and the job may have another one by now, or have ended.
void Adopter::follow_found(PilotAttempt& attempt) {
  const AttemptId id = attempt.id;
  if (const PilotJob* job = state_.jobs.find(attempt.job)) {
    const GivenOrder last = job->folder.last_order();
    attempt.killed = last == GivenOrder{attempt.number, "kill"};
    attempt.stopped = last == GivenOrder{attempt.number, "stop"};
    return follower_.follow(*job, attempt, job->folder.report());
  }
  // The daemon before it ended too, before it stored the result.
  const JobFolder folder = state_.jobs.folder_of(attempt.job);
  PilotJob ended{folder, folder.record().value_or(JobRecord{})};
  ended.told_to_end = folder.last_order().verb == "end";
  ended.report = folder.report();
  follower_.follow(ended, attempt, ended.report);
  if (state_.attempts.find(id) != nullptr) follower_.lose(ended, attempt, folder.ended());
}

std::vector<AttemptId> Adopter::look() {
  std::vector<AttemptId> killed;
  if (unseen_.empty() || state_.now < next_look_) return killed;
  next_look_ = state_.now + kSight;
  for (const Unseen& unseen : std::exchange(unseen_, {})) {
    const auto before = state_.attempts.take_events();
    const Adoption found = adopt(unseen.folder, unseen.id);
    const auto reports = state_.attempts.take_events();
    for (const ExecutorEvent& event : before) state_.attempts.report(event);
    if (!unseen_.empty() && unseen_.back().id == unseen.id) {
      unseen_.back().killed = unseen.killed;
      continue;
    }
    if (found.incomplete) {
      state_.attempts.report(
          AttemptNotStarted{unseen.id, {ErrorCode::kUnavailable, "the folder of its job is gone"}});
    } else if (!found.waits) {
      state_.attempts.report(AttemptStarted{unseen.id, found.started});
    }
    for (const ExecutorEvent& event : reports) state_.attempts.report(event);
    if (unseen.killed) killed.push_back(unseen.id);
  }
  if (unseen_.empty()) {
    spdlog::info("pool `{}`: its folder can be read", state_.settings.pool.name);
  }
  return killed;
}

}  // namespace sweepd
