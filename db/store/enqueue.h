// Turning (trial, pass, repeat) of a sweep into attempts: an existing one where it will do, else a
// new row at the end of the queue. Shared by submit and retry.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/store/state.h"
#include "runner/model/outcome.h"

namespace sweepd {

struct Slot {
  std::size_t trial = 0;  // index into the sweep's trials
  Pass pass = Pass::kTiming;
  int repeat = 0;
};

// The sweep's slots in the order they should run. interleaved: round after round over all trials,
// pass by pass; sequential: everything of a trial before the next; shuffled: like interleaved, each
// round in its own random order, drawn from the sweep's id.
std::vector<Slot> slots_in_order(const Sweep& sweep, const SweepId& id,
                                 const std::vector<std::int64_t>& repeats);

class Enqueuer {
 public:
  Enqueuer(StoreState& state, std::int64_t sweep_row, SubmitReceipt& receipt);

  // What is needed of the trial beside its row. `trial` must outlive the call.
  struct Wanted {
    std::int64_t trial_row = 0;
    const TrialKey& key;
    const std::string& workload;
    const Trial& trial;
    Pass pass = Pass::kTiming;
    int repeat = 0;
    std::int64_t priority = 0;
    Duration timeout{0};
  };

  // The open attempt, else the done one of this host, recorded as the sweep's own; counted as
  // joined or reused. False when there is none. `not_this`: a done attempt that will not do.
  bool use_existing(const Wanted& wanted, std::optional<std::int64_t> not_this = std::nullopt);
  // `replaces_current`: an attempt of the same (trial, pass, repeat) may exist.
  enum class Siblings { kNone, kPossible };
  void add(const Wanted& wanted, Siblings siblings);

 private:
  void link(std::int64_t attempt_row, std::string_view origin);

  StoreState& state_;
  std::int64_t sweep_row_;
  SubmitReceipt& receipt_;
  // All ids of one submission begin with the same two digits: they then lie together in the index
  // of ids, where wholly random ones would touch, and log, every page of it.
  std::string bucket_;
  std::int64_t next_position_ = 0;
};

}  // namespace sweepd
