#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runner/base/clock.h"
#include "runner/base/ids.h"
#include "runner/model/machine/lease.h"
#include "runner/model/sweep/trial.h"

namespace sweepd {

// The sweep that queued an attempt, as the attempt's folder names it.
struct SweepOfAttempt {
  SweepId id;  // "": unknown
  std::string name;
  SweepId sentinel_of;  // of a sentinel: the sweep that it watches
};

// A queued or running attempt, with everything to schedule, start or adopt it.
struct OpenAttempt {
  std::int64_t row = 0;  // ItemId
  AttemptId id;
  TrialKey trial_key;
  std::string workload;
  Trial trial;
  Pass pass = Pass::kTiming;
  int repeat = 0;
  std::int64_t position = 0;
  std::int64_t priority = 0;
  Duration timeout{0};
  // The row of the sweep whose sentinel watches this attempt, or is this attempt; 0: none.
  std::int64_t watched_sweep = 0;
  Duration sentinel_every{0};
  bool is_sentinel = false;
  bool held = false;                // every live sweep that wants it was paused when it was read
  std::optional<WallTime> started;  // empty: queued, or given to its pool
  // When it was given to a pool that starts it later. It may have started since.
  std::optional<WallTime> given{};
  Lease lease{};  // of one that was started or given
  // How often it was queued again because its pool took it away or a daemon died while it started.
  int losses = 0;
  // Of the first sweep that wants it, for its label. Shared by the attempts of a sweep; null: none.
  std::shared_ptr<const std::vector<std::size_t>> axes{};
  // The same sweep's identity; null: none.
  std::shared_ptr<const SweepOfAttempt> sweep{};
};

}  // namespace sweepd
