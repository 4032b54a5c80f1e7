// The sentinel of a sweep: its trial and its sweep's name.
#pragma once

#include <string>
#include <string_view>

#include "runner/base/units.h"
#include "runner/model/catalog.h"
#include "runner/model/trial.h"

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

}  // namespace sweepd
