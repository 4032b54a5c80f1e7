// The sentinel of a sweep: its trial, its sweep's name, and the inputs for detecting drift of a
// machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/clock.h"
#include "runner/base/units.h"
#include "runner/model/sweep/trial.h"
#include "runner/model/vocabulary/catalog.h"

namespace sweepd {

inline constexpr std::string_view kSentinelWorkload = "matmul";
inline constexpr Duration kLeastSentinelInterval = seconds(1);
inline constexpr Duration kMostSentinelInterval = seconds(86'400);

// Its results belong to a separate sweep.
inline std::string sentinel_name(std::string_view sweep) {
  return std::string(sweep) + "-sentinel";
}

// The same trial for every sentinel on this kind of device ("cpu", "cuda"), so that all of them on
// one machine are one series. On a CPU 512 x 512 in fp32, 50 ms in all on two cores; on a GPU
// 4,096 x 4,096 in bf16. Its seed keeps it apart from products that a user measures. `matmul` is
// the workload's definition.
Trial sentinel_trial(const WorkloadDef& matmul, std::string_view device);

// The runs of the sentinel on one device, with one code, in the order in
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
