#include "runner/trace/occupancy.h"

#include <gtest/gtest.h>

namespace sweepd::trace {
namespace {

TracedDevice device_of(std::int32_t major, std::int32_t minor, std::int32_t multiprocessors = 132) {
  TracedDevice device;
  device.capability_major = major;
  device.capability_minor = minor;
  device.multiprocessors = multiprocessors;
  return device;
}

// What cudaOccMaxActiveBlocksPerMultiprocessor of CUDA 13.0 (cuda_occupancy.h) returns.
TEST(Occupancy, BlocksAreThoseOfCudasCalculator) {
  const struct {
    std::int32_t major, minor;
    std::int64_t threads;
    std::int32_t registers;
    std::int64_t shared_bytes;
    std::int32_t blocks;
  } cases[] = {
      {7, 0, 128, 32, 0, 16},     {7, 0, 1024, 64, 0, 1},      {7, 0, 1024, 65, 0, 0},
      {7, 0, 96, 40, 0, 16},      {7, 0, 32, 16, 0, 32},       {7, 0, 128, 255, 49152, 2},
      {7, 0, 160, 128, 0, 3},     {7, 0, 256, 24, 100000, 0},  {7, 0, 33, 200, 1000, 4},
      {7, 5, 128, 32, 0, 8},      {7, 5, 96, 40, 0, 10},       {7, 5, 32, 16, 0, 16},
      {7, 5, 128, 255, 49152, 1}, {8, 0, 128, 32, 0, 16},      {8, 0, 128, 255, 49152, 2},
      {8, 0, 256, 24, 100000, 1}, {8, 0, 384, 168, 200000, 0}, {8, 6, 128, 32, 0, 12},
      {8, 6, 96, 40, 0, 16},      {8, 6, 32, 16, 0, 16},       {8, 9, 32, 16, 0, 24},
      {8, 9, 128, 255, 49152, 2}, {9, 0, 256, 64, 0, 4},       {9, 0, 384, 168, 200000, 1},
      {9, 0, 256, 24, 100000, 2}, {9, 0, 33, 200, 1000, 4},    {10, 0, 256, 24, 100000, 2},
      {10, 0, 32, 16, 0, 32},
  };
  for (const auto& each : cases) {
    const LaunchShape shape{{100, 1, 1}, {each.threads, 1, 1}, each.registers, each.shared_bytes};
    const auto occupancy = occupancy_of(shape, device_of(each.major, each.minor));
    EXPECT_EQ(occupancy ? occupancy->blocks : 0, each.blocks)
        << each.major << "." << each.minor << " " << each.threads << " threads, " << each.registers
        << " registers, " << each.shared_bytes << " B";
  }
}

TEST(Occupancy, ShareIsOfTheWarpsAndHasALimit) {
  const struct {
    LaunchShape shape;
    double share;
    OccupancyLimit limit;
  } cases[] = {
      {{{1, 1, 1}, {128, 1, 1}, 32, 0}, 1.0, OccupancyLimit::kThreads},
      {{{1, 1, 1}, {16, 2, 1}, 32, 0}, 0.5, OccupancyLimit::kBlocks},
      {{{1, 1, 1}, {16, 16, 1}, 255, 0}, 0.125, OccupancyLimit::kRegisters},
      {{{1, 1, 1}, {128, 1, 1}, 32, 100'000}, 0.125, OccupancyLimit::kShared},
      {{{1, 1, 1}, {33, 1, 1}, 32, 0}, 1.0, OccupancyLimit::kBlocks},
  };
  for (const auto& each : cases) {
    const auto occupancy = occupancy_of(each.shape, device_of(9, 0));
    ASSERT_TRUE(occupancy);
    EXPECT_DOUBLE_EQ(occupancy->share, each.share);
    EXPECT_EQ(occupancy->limit, each.limit);
  }
}

TEST(Occupancy, LastWaveIsWhatIsLeft) {
  const struct {
    Shape3 grid;
    double waves, empty;
  } cases[] = {
      // One block of this shape fits a multiprocessor.
      {{132, 1, 1}, 1, 0},
      {{160, 1, 1}, 160.0 / 132, 104.0 / 132},
      {{12, 11, 2}, 2, 0},
      {{1, 1, 1}, 1.0 / 132, 131.0 / 132},
      {{265, 1, 1}, 265.0 / 132, 131.0 / 132},
  };
  for (const auto& each : cases) {
    const auto occupancy = occupancy_of({each.grid, {384, 1, 1}, 168, 200'000}, device_of(9, 0));
    ASSERT_TRUE(occupancy);
    EXPECT_EQ(occupancy->blocks, 1);
    EXPECT_DOUBLE_EQ(occupancy->waves, each.waves);
    EXPECT_DOUBLE_EQ(occupancy->last_wave_empty, each.empty);
  }
  const auto unknown = occupancy_of({{160, 1, 1}, {384, 1, 1}, 168, 0}, device_of(9, 0, 0));
  ASSERT_TRUE(unknown);
  EXPECT_EQ(unknown->waves, 0);
}

TEST(Occupancy, UnknownIsNothing) {
  const LaunchShape good{{1, 1, 1}, {128, 1, 1}, 32, 0};
  EXPECT_TRUE(occupancy_of(good, device_of(8, 0)));
  const std::pair<std::int32_t, std::int32_t> capabilities[] = {
      {0, 0}, {6, 1}, {8, 4}, {9, 4}, {12, 0}};
  for (const auto& [major, minor] : capabilities) {
    EXPECT_FALSE(occupancy_of(good, device_of(major, minor))) << major << "." << minor;
    EXPECT_FALSE(limits_of(major, minor));
  }
  constexpr std::int64_t kMuch = INT64_MAX;
  const LaunchShape shapes[] = {
      {{}, {128, 1, 1}, 32, 0},
      {{1, 1, 1}, {}, 32, 0},
      {{1, 1, 1}, {128, 1, 1}, 0, 0},
      {{1, 1, 1}, {128, 1, 1}, INT32_MAX, 0},
      {{1, 1, 1}, {1024, 2, 1}, 32, 0},
      {{1, 1, 1}, {kMuch, kMuch, kMuch}, 32, 0},
      {{kMuch, kMuch, kMuch}, {128, 1, 1}, 32, 0},
      {{-1, 1, 1}, {128, 1, 1}, 32, 0},
      {{1, 1, 1}, {128, 1, 1}, 32, -1},
      {{1, 1, 1}, {128, 1, 1}, 32, kMuch},
  };
  for (const LaunchShape& shape : shapes) EXPECT_FALSE(occupancy_of(shape, device_of(8, 0)));
}

}  // namespace
}  // namespace sweepd::trace
