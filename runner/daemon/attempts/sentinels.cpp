#include "runner/daemon/attempts/sentinels.h"

#include <spdlog/spdlog.h>

#include <optional>
#include <string>

#include "runner/base/clock.h"
#include "runner/daemon/attempts/item_of.h"

namespace sweepd {

Watched Sentinels::watched_by(const OpenAttempt& attempt) const {
  return {attempt.watched_sweep, item_of(catalog_, attempt).device};
}

void Sentinels::opened(const OpenAttempt& attempt) {
  if (attempt.watched_sweep == 0) return;
  const Watched watched = watched_by(attempt);
  if (attempt.is_sentinel) return plan_.queued(watched, attempt.sentinel_every);
  plan_.opened(watched, attempt.sentinel_every, attempt.row);
}

bool Sentinels::holds_back(const OpenAttempt& attempt) {
  if (attempt.watched_sweep == 0 || attempt.is_sentinel) return false;
  const Watched watched = watched_by(attempt);
  const SentinelPlan::Next next = plan_.before_start(watched, now_instant());
  if (next == SentinelPlan::Next::kSentinel) queue(watched);
  return next != SentinelPlan::Next::kStart;
}

void Sentinels::started(const OpenAttempt& attempt) {
  if (attempt.is_sentinel) plan_.settled(watched_by(attempt), now_instant());
}

void Sentinels::ended(const OpenAttempt& attempt) {
  if (attempt.watched_sweep == 0) return;
  const Watched watched = watched_by(attempt);
  if (attempt.is_sentinel) return plan_.settled(watched, now_instant());
  if (plan_.ended(watched, attempt.row)) queue(watched);
}

void Sentinels::queue_owed(const std::vector<OwedSentinel>& owed) {
  for (const OwedSentinel& each : owed) {
    const DeviceKind device = each.device == "cuda" ? DeviceKind::kCuda : DeviceKind::kCpu;
    queue({each.sweep, device});
  }
}

void Sentinels::queue(const Watched& watched) {
  const std::string device = watched.device == DeviceKind::kCuda ? "cuda" : "cpu";
  const auto add = [sweep = watched.sweep, device](Store& store) {
    return store.add_sentinel(sweep, device, now_wall());
  };
  writer_.run(add, [this, watched](Result<std::optional<OpenAttempt>> added) {
    if (added && *added) return hooks_.queue(std::move(**added));
    if (added) {
      plan_.forget(watched);
    } else {
      // The sweep matters more than its sentinel: the next one is due in an interval.
      spdlog::error("cannot queue a sentinel: {}", added.error().message);
      plan_.settled(watched, now_instant());
    }
    hooks_.resume();
  });
}

}  // namespace sweepd
