#include "runner/trace/occupancy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace sweepd::trace {
namespace {

constexpr std::int64_t kWarp = 32;            // threads
constexpr std::int64_t kPartitions = 4;       // of a multiprocessor, each with its registers
constexpr std::int64_t kRegisterUnit = 256;   // of a warp
constexpr std::int64_t kMostRegisters = 256;  // of a thread
constexpr std::int64_t kKi = 1024;

struct Capability {
  std::int32_t major, minor;
  MultiprocessorLimits limits;
};
// Blocks, threads, registers, shared memory, that of a block, reserved, unit.
constexpr Capability kCapabilities[] = {
    {7, 0, {32, 2048, 65536, 96 * kKi, 96 * kKi, 0, 256}},
    {7, 2, {32, 2048, 65536, 96 * kKi, 96 * kKi, 0, 256}},
    {7, 5, {16, 1024, 65536, 64 * kKi, 64 * kKi, 0, 256}},
    {8, 0, {32, 2048, 65536, 164 * kKi, 163 * kKi, 1 * kKi, 128}},
    {8, 6, {16, 1536, 65536, 100 * kKi, 99 * kKi, 1 * kKi, 128}},
    {8, 7, {16, 1536, 65536, 164 * kKi, 163 * kKi, 1 * kKi, 128}},
    {8, 9, {24, 1536, 65536, 100 * kKi, 99 * kKi, 1 * kKi, 128}},
    {9, 0, {32, 2048, 65536, 228 * kKi, 227 * kKi, 1 * kKi, 128}},
    {10, 0, {32, 2048, 65536, 228 * kKi, 227 * kKi, 1 * kKi, 128}},
};

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

// The product, if each is within CUDA's limit of a launch.
std::optional<std::int64_t> volume(const Shape3& shape, const Shape3& most) {
  for (std::size_t i = 0; i < 3; ++i) {
    if (shape[i] < 1 || shape[i] > most[i]) return std::nullopt;
  }
  return shape[0] * shape[1] * shape[2];
}

// A warp's registers are in one partition.
std::int64_t blocks_by_registers(const MultiprocessorLimits& limits, std::int64_t warps,
                                 std::int64_t registers) {
  const std::int64_t of_warp = round_up(registers * kWarp, kRegisterUnit);
  // A launch is checked as if each partition held as many of the block's warps.
  if (of_warp * round_up(warps, kPartitions) > limits.registers) return 0;
  return limits.registers / kPartitions / of_warp * kPartitions / warps;
}

std::int64_t blocks_by_shared(const MultiprocessorLimits& limits, std::int64_t bytes) {
  if (bytes > limits.block_shared_bytes) return 0;
  const std::int64_t of_block =
      round_up(bytes + limits.reserved_shared_bytes, limits.shared_unit_bytes);
  return of_block == 0 ? limits.blocks : limits.shared_bytes / of_block;
}

}  // namespace

std::optional<MultiprocessorLimits> limits_of(std::int32_t major, std::int32_t minor) {
  for (const Capability& each : kCapabilities) {
    if (each.major == major && each.minor == minor) return each.limits;
  }
  return std::nullopt;
}

std::optional<Occupancy> occupancy_of(const LaunchShape& shape, const TracedDevice& device) {
  const auto limits = limits_of(device.capability_major, device.capability_minor);
  const auto grid = volume(shape.grid, {2'147'483'647, 65'535, 65'535});
  const auto threads = volume(shape.block, {1'024, 1'024, 64});
  if (!limits || !grid || !threads || *threads > 1'024) return std::nullopt;
  if (shape.registers < 1 || shape.registers > kMostRegisters || shape.shared_bytes < 0)
    return std::nullopt;
  const std::int64_t warps = round_up(*threads, kWarp) / kWarp;
  const std::array<std::pair<std::int64_t, OccupancyLimit>, 4> bounds{{
      {limits->blocks, OccupancyLimit::kBlocks},
      {limits->threads / kWarp / warps, OccupancyLimit::kThreads},
      {blocks_by_registers(*limits, warps, shape.registers), OccupancyLimit::kRegisters},
      {blocks_by_shared(*limits, shape.shared_bytes), OccupancyLimit::kShared},
  }};
  const auto [blocks, limit] =
      *std::ranges::min_element(bounds, {}, [](const auto& bound) { return bound.first; });
  if (blocks < 1) return std::nullopt;
  Occupancy occupancy;
  occupancy.blocks = static_cast<std::int32_t>(blocks);
  occupancy.limit = limit;
  occupancy.share = static_cast<double>(blocks * warps * kWarp) / limits->threads;
  if (device.multiprocessors < 1) return occupancy;
  const std::int64_t wave = blocks * device.multiprocessors;
  occupancy.waves = static_cast<double>(*grid) / static_cast<double>(wave);
  const std::int64_t last = (*grid - 1) % wave + 1;
  occupancy.last_wave_empty = 1 - static_cast<double>(last) / static_cast<double>(wave);
  return occupancy;
}

}  // namespace sweepd::trace
