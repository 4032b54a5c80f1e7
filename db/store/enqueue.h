// Gives each (trial, pass, repeat) of a sweep an attempt: an existing one where it will do, else a
// new row at the end of the queue. Shared by submit and retry.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/base/crash_limit.h"
#include "db/base/older_result.h"
#include "db/store/state.h"
#include "runner/model/vocabulary/outcome.h"

namespace sweepd {

struct Slot {
  std::size_t trial = 0;  // index into the sweep's trials
  Pass pass = Pass::kTiming;
  int repeat = 0;
};

// Returns the sweep's slots in the order they should run. interleaved: round after round over all
// trials, pass by pass; sequential: everything of a trial before the next; shuffled: like
// interleaved, with a random order for each round, seeded by the sweep's id.
std::vector<Slot> slots_in_order(const Sweep& sweep, const SweepId& id,
                                 const std::vector<std::int64_t>& repeats);

class Enqueuer {
 public:
  Enqueuer(StoreState& state, std::int64_t sweep_row, const WorkloadDef& def, Reuse reuse,
           const MachineIds& machines, WallTime now, SubmitReceipt& receipt,
           Insist insist = Insist::kNo);

  // The required parts of the trial in addition to its row. `trial` must outlive the call.
  struct Wanted {
    std::int64_t trial_row = 0;
    const TrialKey& key;
    const std::string& base_key;
    const std::string& workload;
    const Trial& trial;
    Pass pass = Pass::kTiming;
    int repeat = 0;
    std::int64_t priority = 0;
    Duration timeout{0};
  };

  // Records the open attempt, else the done one, of the trial's pool (in `local`: of this host) as
  // the sweep's own, and counts it as joined or reused. Returns false if there is none. `not_this`
  // is a done attempt that does not count.
  bool use_existing(const Wanted& wanted, std::optional<std::int64_t> not_this = std::nullopt);
  // Whether another attempt of the same (trial, pass, repeat) may exist.
  enum class Siblings { kNone, kPossible };
  // Adds one that is queued, or `skipped` if the trial kills its workers.
  void add(const Wanted& wanted, Siblings siblings);
  // Counts an attempt for which an older result exists that use_existing() did not take.
  void note_change(const Wanted& wanted);
  // Records an attempt as the sweep's own; `origin` is that of `sweep_attempt`.
  void link(std::int64_t attempt_row, std::string_view origin);
  // The crash limit that the trial has reached, if any; counts the attempt as skipped.
  std::optional<Crashes> skips(const Wanted& wanted);

 private:
  std::int64_t host_of(const Wanted& wanted) {
    return hosts_.find_or_insert(pool_of(def_, wanted.trial));
  }

  StoreState& state_;
  std::int64_t sweep_row_;
  const WorkloadDef& def_;
  Reuse reuse_;
  WallTime now_;
  Insist insist_;
  MachinesNow machines_;
  OlderResults older_;
  PoolHosts hosts_;
  SubmitReceipt& receipt_;
  // All ids of one submission begin with the same two digits. They then lie together in the index
  // of ids, where fully random ids would touch, and log, every page.
  std::string bucket_;
  std::shared_ptr<const std::vector<std::size_t>> axes_;  // of the sweep
  std::shared_ptr<const SweepOfAttempt> sweep_;
  SentinelColumns sentinel_;
};

}  // namespace sweepd
