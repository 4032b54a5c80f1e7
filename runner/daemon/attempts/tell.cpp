// The part of the dispatcher that reports running attempts, those in clusters, and why nothing
// starts.
#include <fmt/format.h>

#include <algorithm>

#include "runner/base/text.h"
#include "runner/base/units.h"
#include "runner/daemon/attempts/dispatcher.h"

namespace sweepd {

std::vector<RunningAttempt> Dispatcher::running() const {
  std::vector<RunningAttempt> result;
  for (const auto& [row, run] : running_) {
    const Status& status = run->place();
    const OpenAttempt& attempt = run->attempt;
    const AttemptPlace place = place_of(attempt.id).value_or(AttemptPlace{});
    result.push_back({attempt.id, attempt.trial_key, label_of_attempt(attempt), attempt.pass,
                      run->elapsed(), status.step, status.phase, use_of(attempt).pool.name,
                      place.allocation.id, place.nodes});
  }
  return result;
}

std::vector<GivenAttempt> Dispatcher::given() const {
  std::vector<GivenAttempt> result;
  for (const auto& [row, starting] : starter_.all()) {
    const OpenAttempt& attempt = starting.attempt;
    const PoolUse& use = use_of(attempt);
    if (!use.is_cluster()) continue;
    const PoolAllocation job = place_of(attempt.id).value_or(AttemptPlace{}).allocation;
    result.push_back({attempt.id, attempt.trial_key, label_of_attempt(attempt), attempt.pass,
                      use.pool.name, now_instant() - starting.since, job.id, job.state, job.reason,
                      job.starts});
  }
  return result;
}

std::optional<AttemptPlace> Dispatcher::place_of(const AttemptId& attempt) const {
  for (const PoolUse& use : pools_) {
    const PoolInspector* inspector = use.executor->inspector();
    if (inspector == nullptr) continue;
    if (auto place = inspector->place_of(attempt)) return place;
  }
  return std::nullopt;
}

std::string Dispatcher::trouble() const {
  if (!trouble_.empty()) return trouble_;
  std::vector<std::string> all;
  for (PoolIndex pool = 0; pool < pools_.size(); ++pool) {
    const PoolUse& use = pools_.at(pool);
    const std::string& own = gates_[pool]->trouble();
    if (!own.empty())
      all.push_back(use.is_cluster() ? "pool `" + use.pool.name + "`: " + own : own);
    if (std::string silence = silence_of(pool); !silence.empty()) {
      all.push_back("pool `" + use.pool.name + "`: " + silence);
    }
    const PoolInspector* inspector = use.executor->inspector();
    if (inspector == nullptr) continue;
    if (std::string why = inspector->trouble(); !why.empty()) all.push_back(std::move(why));
  }
  for (const auto& [row, reading] : readings_) {
    if (!reading.is_long) continue;
    all.push_back(fmt::format(
        "the journal of attempt {} takes longer than {} to read; its cores and GPUs are free",
        reading.id, to_human(timing_.long_read)));
    break;
  }
  if (!unread_.empty()) {
    const std::string more =
        unread_.size() == 1 ? "" : fmt::format(" (and those of {} more)", unread_.size() - 1);
    all.push_back(fmt::format("the journal of an attempt that has ended is read again{}: {}", more,
                              unread_.begin()->second.why));
  }
  return join(all, "; ");
}

std::string Dispatcher::silence_of(PoolIndex pool) const {
  const PoolUse& use = pools_.at(pool);
  std::optional<Instant> since = folders_[pool]->silent_since();
  if (const PoolInspector* inspector = use.executor->inspector()) {
    const auto waits = inspector->waits_for_folder_since();
    const bool long_enough = waits && now_instant() - *waits >= kFolderSilence;
    if (long_enough && (!since || *waits < *since)) since = waits;
  }
  if (!since) return "";
  const Duration age = now_instant() - *since;
  return fmt::format("its folder {} has not answered since {}; attempts there continue",
                     use.runs.string(), to_text(WallTime{now_wall().ns - age.ns}));
}

std::size_t Dispatcher::reading() const {
  std::size_t all = journals_.pending();
  for (const auto& folder : folders_) all += folder->pending();
  return all;
}

bool Dispatcher::is_reading_places() const {
  return std::ranges::any_of(running_, [](const auto& e) { return e.second->is_reading_place(); });
}

}  // namespace sweepd
