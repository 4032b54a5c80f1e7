// Tests reading a GPU's energy from a scripted NVML.
#include "runner/base/gpu_energy.h"

#include <gtest/gtest.h>

#include <string_view>

namespace sweepd {
namespace {

// A driver with one board; the tests remove functions.
struct MeteredDriver {
  static inline int opened = 0;
  static inline unsigned long long millijoules = 0;
  static inline int answer = 0;  // an nvmlReturn_t
  static inline int board = 0;   // its address is the handle

  static GpuEnergySymbols symbols() {
    opened = 0;
    answer = 0;
    millijoules = 7'000;
    GpuEnergySymbols s;
    s.init = [] { return ++opened, 0; };
    s.shutdown = [] { return --opened, 0; };
    s.device_by_uuid = [](const char* uuid, GpuEnergySymbols::Device* device) {
      *device = &board;
      return std::string_view(uuid) == "GPU-aaaa" ? 0 : 6;  // NVML_ERROR_NOT_FOUND
    };
    s.total_energy = [](GpuEnergySymbols::Device device, unsigned long long* mj) {
      *mj = device == &board ? millijoules : 0;
      return answer;
    };
    return s;
  }
};

TEST(GpuEnergy, IsTheDriversCounterInJoules) {
  const auto counter = open_gpu_energy("GPU-aaaa", MeteredDriver::symbols());
  ASSERT_TRUE(counter);
  EXPECT_EQ(counter->joules(), 7);
  MeteredDriver::millijoules = 7'250;
  EXPECT_EQ(counter->joules(), 7.25);
  MeteredDriver::answer = 15;  // NVML_ERROR_GPU_IS_LOST
  EXPECT_EQ(counter->joules(), std::nullopt);
}

TEST(GpuEnergy, IsNotThereWithoutLibraryDriverGpuOrCounter) {
  EXPECT_EQ(open_gpu_energy("GPU-aaaa", "libnvidia-ml-of-nobody.so.1"), nullptr);
  EXPECT_EQ(open_gpu_energy("GPU-aaaa", "libc.so.6"), nullptr);  // a library, but not this one
  EXPECT_EQ(open_gpu_energy("GPU-bbbb", MeteredDriver::symbols()), nullptr);
  EXPECT_EQ(MeteredDriver::opened, 0);
  GpuEnergySymbols no_driver = MeteredDriver::symbols();
  no_driver.init = [] { return 9; };  // NVML_ERROR_DRIVER_NOT_LOADED
  EXPECT_EQ(open_gpu_energy("GPU-aaaa", no_driver), nullptr);
  GpuEnergySymbols old = MeteredDriver::symbols();
  old.total_energy = nullptr;
  EXPECT_EQ(open_gpu_energy("GPU-aaaa", old), nullptr);
  const GpuEnergySymbols board_without = MeteredDriver::symbols();
  MeteredDriver::answer = 3;  // NVML_ERROR_NOT_SUPPORTED
  EXPECT_EQ(open_gpu_energy("GPU-aaaa", board_without), nullptr);
  EXPECT_EQ(MeteredDriver::opened, 0);
}

TEST(GpuEnergy, ShutsDownWhatItStarted) {
  auto counter = open_gpu_energy("GPU-aaaa", MeteredDriver::symbols());
  EXPECT_EQ(MeteredDriver::opened, 1);
  counter.reset();
  EXPECT_EQ(MeteredDriver::opened, 0);
}

}  // namespace
}  // namespace sweepd
