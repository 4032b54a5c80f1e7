// The inputs for detecting drift of a machine: its sentinel's runs and the times of the results.
#pragma once

#include <cstdint>
#include <vector>

#include "runner/base/clock.h"

namespace sweepd {

// The runs of the sentinel (runner/model/sentinel.h) on one device, with one code, in the order in
// which they started.
struct SentinelSeries {
  std::int64_t device = 0;  // its row
  struct Run {
    double median = 0;  // of the step, in ms
    WallTime started, ended;
  };
  std::vector<Run> runs;
};

// When an attempt ran, and on which devices.
struct AttemptSpan {
  WallTime started, ended;
  std::vector<std::int64_t> devices;  // rows
};

}  // namespace sweepd
