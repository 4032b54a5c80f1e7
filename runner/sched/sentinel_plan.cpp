#include "runner/sched/sentinel_plan.h"

namespace sweepd {

void SentinelPlan::opened(const Watched& watched, Duration every, ItemId attempt) {
  Series& series = series_[watched];
  series.every = every;
  series.open.insert(attempt);
}

bool SentinelPlan::ended(const Watched& watched, ItemId attempt) {
  const auto found = series_.find(watched);
  if (found == series_.end()) return false;
  Series& series = found->second;
  const bool is_last = series.open.erase(attempt) > 0 && series.open.empty();
  if (is_last && series.measured_since && !series.is_queued) {
    queue(series);
    return true;
  }
  forget_if_over(watched);
  return false;
}

SentinelPlan::Next SentinelPlan::queue(Series& series) {
  series.is_queued = true;
  return Next::kSentinel;
}

SentinelPlan::Next SentinelPlan::before_start(const Watched& watched, Instant now) {
  const auto found = series_.find(watched);
  if (found == series_.end()) return Next::kStart;
  Series& series = found->second;
  if (series.is_queued) return Next::kWait;
  const bool due = !series.last || (series.measured_since && now - *series.last >= series.every);
  if (due) return queue(series);
  series.measured_since = true;
  return Next::kStart;
}

void SentinelPlan::queued(const Watched& watched, Duration every) {
  Series& series = series_[watched];
  series.every = every;
  series.is_queued = true;
}

void SentinelPlan::settled(const Watched& watched, Instant now) {
  const auto found = series_.find(watched);
  if (found == series_.end() || !found->second.is_queued) return;
  found->second.last = now;
  found->second.is_queued = false;
  found->second.measured_since = false;
  forget_if_over(watched);
}

void SentinelPlan::forget_if_over(const Watched& watched) {
  const auto found = series_.find(watched);
  if (found->second.open.empty() && !found->second.is_queued) series_.erase(found);
}

}  // namespace sweepd
