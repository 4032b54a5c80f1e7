// How much longer a sweep takes, from its own results so far. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>

#include "runner/base/units.h"
#include "runner/model/trial.h"

namespace sweepd {

// How long the attempts of a sweep take beside each other, as estimated before they ran: a large
// model waits while small ones end. Only the ratios count.
class AttemptWeights {
 public:
  void set(const TrialKey& key, Pass pass, double weight);
  // 1 while none is known, so that all count the same.
  double of(const TrialKey& key, Pass pass) const;
  bool empty() const { return weights_.empty(); }

 private:
  std::unordered_map<TrialKey, std::array<double, 3>> weights_;  // by Pass
};

// The attempts of one pass of a sweep, each counted with its weight. Passes differ in length: a
// memory pass takes a step or two.
struct PassPace {
  Pass pass = Pass::kTiming;
  double queued = 0;
  double ended = 0;  // that ran for the sweep, whatever their outcome; not reused ones
  Duration took{0};  // all of `ended` together
};

struct RunningFor {
  Pass pass = Pass::kTiming;
  Duration elapsed{0};
  double weight = 1;
};

// Every waiting attempt takes the mean of its pass (of all passes, before its own first has ended)
// times its weight; a running one what is left of that, and as many as run now go on running beside
// each other. Nothing before the first attempt has ended, or while nothing runs and something
// waits.
std::optional<Duration> time_left(std::span<const PassPace> passes,
                                  std::span<const RunningFor> running);

}  // namespace sweepd
