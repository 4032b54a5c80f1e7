// Tests reading clock, power and temperature from a scripted NVML and from files like the kernel's.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "runner/base/cpu_meter.h"
#include "runner/base/gpu_meter.h"

namespace sweepd {
namespace {

// A driver with one board; the tests remove functions.
struct MeteringDriver {
  static inline int opened = 0;
  static inline int answer = 0;  // an nvmlReturn_t
  static inline int board = 0;   // its address is the handle

  static GpuMeterSymbols symbols() {
    opened = 0;
    answer = 0;
    GpuMeterSymbols s;
    s.init = [] { return ++opened, 0; };
    s.shutdown = [] { return --opened, 0; };
    s.device_by_uuid = [](const char* uuid, GpuMeterSymbols::Device* device) {
      *device = &board;
      return std::string_view(uuid) == "GPU-aaaa" ? 0 : 6;  // NVML_ERROR_NOT_FOUND
    };
    s.clock = [](GpuMeterSymbols::Device device, int type, unsigned* mhz) {
      *mhz = device == &board && type == 1 ? 1755 : 0;
      return answer;
    };
    s.power_usage = [](GpuMeterSymbols::Device, unsigned* milliwatts) {
      return *milliwatts = 698'500, answer;
    };
    s.temperature = [](GpuMeterSymbols::Device, int sensor, unsigned* celsius) {
      *celsius = sensor == 0 ? 84 : 0;
      return answer;
    };
    return s;
  }
};

TEST(GpuMeter, ReadsTheMultiprocessorsClockPowerAndTemperature) {
  auto meter = open_gpu_meter("GPU-aaaa", MeteringDriver::symbols());
  ASSERT_TRUE(meter);
  const DeviceReading reading = meter->read();
  EXPECT_EQ(reading.clock_mhz, 1755);
  EXPECT_EQ(reading.power_watts, 698.5);
  EXPECT_EQ(reading.temperature_celsius, 84);
  MeteringDriver::answer = 15;  // NVML_ERROR_GPU_IS_LOST
  EXPECT_TRUE(meter->read().empty());
  EXPECT_EQ(MeteringDriver::opened, 1);
  meter.reset();
  EXPECT_EQ(MeteringDriver::opened, 0);
}

TEST(GpuMeter, AnOldDriverLeavesSomeOut) {
  GpuMeterSymbols old = MeteringDriver::symbols();
  old.power_usage = nullptr;
  const auto meter = open_gpu_meter("GPU-aaaa", old);
  ASSERT_TRUE(meter);
  EXPECT_EQ(meter->read().power_watts, std::nullopt);
  EXPECT_EQ(meter->read().clock_mhz, 1755);
}

TEST(GpuMeter, IsNotThereWithoutLibraryDriverGpuOrReading) {
  EXPECT_EQ(open_gpu_meter("GPU-aaaa", "libnvidia-ml-of-nobody.so.1"), nullptr);
  EXPECT_EQ(open_gpu_meter("GPU-aaaa", "libc.so.6"), nullptr);  // a library, but not this one
  EXPECT_EQ(open_gpu_meter("GPU-bbbb", MeteringDriver::symbols()), nullptr);
  EXPECT_EQ(MeteringDriver::opened, 0);
  GpuMeterSymbols no_driver = MeteringDriver::symbols();
  no_driver.init = [] { return 9; };  // NVML_ERROR_DRIVER_NOT_LOADED
  EXPECT_EQ(open_gpu_meter("GPU-aaaa", no_driver), nullptr);
  const GpuMeterSymbols reports_nothing = MeteringDriver::symbols();
  MeteringDriver::answer = 3;  // NVML_ERROR_NOT_SUPPORTED
  EXPECT_EQ(open_gpu_meter("GPU-aaaa", reports_nothing), nullptr);
  EXPECT_EQ(MeteringDriver::opened, 0);
}

class CpuMeterTest : public testing::Test {
 protected:
  CpuMeterTest() {
    std::string name = (std::filesystem::temp_directory_path() / "sweepd-meter-XXXXXX").string();
    root_ = ::mkdtemp(name.data());
  }
  ~CpuMeterTest() override { std::filesystem::remove_all(root_); }

  void write(const std::filesystem::path& file, const std::string& text) const {
    std::filesystem::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text << '\n';
  }
  void clock(int core, const std::string& khz) const {
    write("sys/devices/system/cpu/cpu" + std::to_string(core) + "/cpufreq/scaling_cur_freq", khz);
  }

  std::filesystem::path root_;
};

TEST_F(CpuMeterTest, IsNotThereWithoutFilesAsInAVirtualMachine) {
  EXPECT_EQ(open_cpu_meter({0, 1}, root_), nullptr);
  clock(2, "2400000");
  clock(1, "<unknown>");
  write("sys/class/hwmon/hwmon0/name", "nvme");
  write("sys/class/hwmon/hwmon0/temp1_input", "41000");
  EXPECT_EQ(open_cpu_meter({0, 1}, root_), nullptr) << "another core's clock, a disk's temperature";
}

TEST_F(CpuMeterTest, ReadsTheMeanClockOfItsCoresAndTheWarmestPackage) {
  clock(1, "2400000");
  clock(3, "2500500");
  clock(4, "800000");
  write("sys/class/hwmon/hwmon2/name", "coretemp");
  write("sys/class/hwmon/hwmon2/temp1_input", "71000");
  write("sys/class/hwmon/hwmon3/name", "coretemp");
  write("sys/class/hwmon/hwmon3/temp1_input", "68500");
  const auto meter = open_cpu_meter({1, 3, 9}, root_);
  ASSERT_TRUE(meter);
  DeviceReading reading = meter->read();
  EXPECT_EQ(reading.clock_mhz, 2450.25);
  EXPECT_EQ(reading.temperature_celsius, 71);
  EXPECT_EQ(reading.power_watts, std::nullopt);
  clock(1, "1200000");
  EXPECT_EQ(meter->read().clock_mhz, 1850.25);
}

}  // namespace
}  // namespace sweepd
