// How a kernel's launch shape fills a device: blocks on a multiprocessor, occupancy, waves.
#pragma once

#include <cstdint>
#include <optional>

#include "runner/trace/timeline.h"

namespace sweepd::trace {

// Of one multiprocessor, if not said otherwise. From the table "Technical Specifications per
// Compute Capability" of the CUDA C++ Programming Guide; allocation is in units that
// cuda_occupancy.h of CUDA's toolkit states.
struct MultiprocessorLimits {
  std::int32_t blocks = 0;
  std::int32_t threads = 0;
  std::int32_t registers = 0;  // of 32 bits; also of a block
  std::int64_t shared_bytes = 0;
  std::int64_t block_shared_bytes = 0;     // of a block, if it opts in
  std::int64_t reserved_shared_bytes = 0;  // of each block, for the system
  std::int64_t shared_unit_bytes = 0;
};

// Of compute capabilities 7.0 to 10.0 that the guide lists; nothing for others.
std::optional<MultiprocessorLimits> limits_of(std::int32_t major, std::int32_t minor);

enum class OccupancyLimit { kBlocks, kThreads, kRegisters, kShared };

struct Occupancy {
  std::int32_t blocks = 0;                         // on a multiprocessor at once
  double share = 0;                                // of the warps that a multiprocessor can hold
  OccupancyLimit limit = OccupancyLimit::kBlocks;  // of `blocks`; the first of several
  // The grid's blocks over those that the device holds at once; 0: its multiprocessors are unknown.
  double waves = 0;
  double last_wave_empty = 0;  // share of the last wave that has no block
};

// Nothing if the device's capability, the registers or the shape are unknown, or if the shape does
// not fit the device. It is the upper limit: a device may hold less while another kernel runs.
std::optional<Occupancy> occupancy_of(const LaunchShape& shape, const TracedDevice& device);

}  // namespace sweepd::trace
