#include "runner/exec/pilot/pilots.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace sweepd {

Pilots::Pilots(PilotSettings settings, ClusterManager& manager, Instant now)
    : state_{.settings = std::move(settings), .manager = manager, .now = now} {
  state_.jobs.load_once(now);
}

void Pilots::start(const AttemptFolder& folder, const AttemptRequest& request, Instant now) {
  PilotAttempt attempt = make_attempt(state_.settings, folder, request);
  Error why{ErrorCode::kFailedPrecondition, refusal(state_.settings.pool, attempt.needs)};
  if (why.message.empty()) why = {ErrorCode::kUnavailable, adopter_.blindness()};
  if (!why.message.empty()) {
    return state_.attempts.report(AttemptNotStarted{request.attempt, std::move(why)});
  }
  state_.jobs.load_once(now);
  if (state_.attempts.empty()) failures_.attempts_come_again(now);
  state_.attempts.add(std::move(attempt));
}

Adoption Pilots::adopt(const AttemptFolder& folder, const AttemptId& attempt, Instant now) {
  state_.now = now;
  return adopter_.adopt(folder, attempt);
}

void Pilots::stop(const AttemptId& id) {
  PilotAttempt* attempt = state_.attempts.find(id);
  const PilotJob* job = attempt == nullptr ? nullptr : state_.jobs.find(attempt->job);
  if (job == nullptr || attempt->killed) return;
  attempt->stopped = true;
  const auto told = job->folder.order(fmt::format("{} stop", attempt->number));
  if (!told) spdlog::warn("attempt {}: {}", id, told.error().message);
}

void Pilots::kill(const AttemptId& id) {
  adopter_.kill(id);
  PilotAttempt* attempt = state_.attempts.find(id);
  if (attempt == nullptr) return;
  attempt->killed = true;
  PilotJob* job = state_.jobs.find(attempt->job);
  if (job == nullptr) return state_.attempts.give_back(*attempt);
  const auto told = job->folder.order(fmt::format("{} kill", attempt->number));
  if (!told) {
    spdlog::warn("attempt {}: {}; its job is cancelled", id, told.error().message);
    lifetime_.cancel(*job);
  }
}

void Pilots::take_back(const AttemptId& id) {
  const PilotAttempt* attempt = state_.attempts.find(id);
  if (attempt != nullptr && attempt->waits()) kill(id);
}

std::map<AttemptId, AttemptPlace> Pilots::places() const {
  std::map<AttemptId, AttemptPlace> places;
  for (const PilotAttempt& attempt : state_.attempts.all()) {
    places.emplace(attempt.id, matching_.place_of(attempt));
  }
  return places;
}

std::string Pilots::trouble() const {
  return lifetime_.trouble().empty() ? adopter_.blindness() : lifetime_.trouble();
}

std::vector<PoolAllocation> Pilots::allocations() const {
  std::vector<PoolAllocation> all;
  std::ranges::transform(state_.jobs.all(), std::back_inserter(all), allocation_of);
  return all;
}

void Pilots::tick(Instant now) {
  state_.now = now;
  for (const AttemptId& killed : adopter_.look()) kill(killed);
  lifetime_.look();
  matching_.give_work();
  lifetime_.submit_and_cancel();
  lifetime_.poll();
  state_.jobs.remove_finished();
}

std::optional<Instant> Pilots::next(Instant now) const {
  const std::optional<Instant> due = lifetime_.next(now), sight = adopter_.next();
  return due && sight ? std::min(*due, *sight) : due ? due : sight;
}

}  // namespace sweepd
