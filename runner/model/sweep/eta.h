// Estimates how much longer a sweep takes, from its own results so far. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>

#include "runner/base/units.h"
#include "runner/model/sweep/trial.h"

namespace sweepd {

// How long the attempts of a sweep take relative to each other, as estimated before they ran: small
// models end first while a large one still waits. Only the ratios count.
class AttemptWeights {
 public:
  void set(const TrialKey& key, Pass pass, double weight);
  // Returns 1 while no weight is known, so that all attempts count the same.
  double of(const TrialKey& key, Pass pass) const;
  bool empty() const { return weights_.empty(); }

 private:
  std::unordered_map<TrialKey, std::array<double, 3>> weights_;  // by Pass
};

// The attempts of one pass of a sweep, each counted with its weight. Passes differ in length: a
// memory pass runs a step or two.
struct PassEta {
  Pass pass = Pass::kTiming;
  double queued = 0;
  double ended = 0;  // those that ran for the sweep, with any outcome, without reused ones
  Duration took{0};  // the total of `ended`
};

struct RunningFor {
  Pass pass = Pass::kTiming;
  Duration elapsed{0};
  double weight = 1;
};

// A queued attempt is assumed to take the mean time of its pass (of all passes, until one of that
// pass has ended) times its weight, and a running attempt the rest of that time. As many attempts
// as run now are assumed to run in parallel. Returns nothing before the first attempt has ended, or
// while nothing runs and something waits.
std::optional<Duration> time_left(std::span<const PassEta> passes,
                                  std::span<const RunningFor> running);

}  // namespace sweepd
