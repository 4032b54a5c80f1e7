// The difference between equal runs of one trial on one host, as `sweepctl noise` measured it.
#pragma once

#include <cstdint>
#include <string>

#include "runner/base/clock.h"
#include "runner/base/ids.h"

namespace sweepd {

struct NoiseFloor {
  AttemptId attempt;     // a measured attempt, which stands for its trial, host and device
  std::string hostname;  // filled by readers, as is `label`
  std::string label;     // label_of the trial
  WallTime measured;
  std::int64_t processes = 0;     // in all
  double spread = 0;              // standard deviation of the logs of the processes' medians
  std::int64_t a_side = 0;        // processes on each side of a pair, for the following members
  std::int64_t pairs = 0;         // equal pairs, which overlap
  double median_difference = 0;   // half of the pairs differ by less than this share
  double p95_difference = 0;      // 95 % of them differ by less
  std::int64_t false_alarms = 0;  // equal pairs called faster or slower
  std::int64_t found = 0;         // pairs called slower after b was slowed down
  double slowdown = 0;            // by this share
  bool enough = false;            // `a_side` processes find the slowdown reliably
};

}  // namespace sweepd
