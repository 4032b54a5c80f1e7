#include "runner/base/nvml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <iterator>

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr int kNotSupported = 3;  // NVML_ERROR_NOT_SUPPORTED
constexpr int kGpuIsLost = 15;    // NVML_ERROR_GPU_IS_LOST

// A driver with two boards that answers everything; the tests remove functions.
struct FakeDriver {
  static inline int initialized = 0;
  static inline int boards[2] = {0, 1};
  static int number(NvmlSymbols::Device device) { return *static_cast<int*>(device); }
  static int copy(const char* text, char* out, unsigned size) {
    std::snprintf(out, size, "%s", text);
    return 0;
  }

  static NvmlSymbols symbols() {
    initialized = 0;
    NvmlSymbols s;
    s.init = [] { return ++initialized, 0; };
    s.shutdown = [] { return --initialized, 0; };
    s.driver_version = [](char* out, unsigned n) { return copy("580.65.06", out, n); };
    s.device_count = [](unsigned* count) { return *count = 2, 0; };
    s.device_by_index = [](unsigned i, NvmlSymbols::Device* d) { return *d = &boards[i], 0; };
    s.uuid = [](NvmlSymbols::Device d, char* out, unsigned n) {
      return copy(number(d) == 0 ? "GPU-aaaa" : "GPU-bbbb", out, n);
    };
    s.name = [](NvmlSymbols::Device, char* out, unsigned n) { return copy("NVIDIA H200", out, n); };
    s.memory = [](NvmlSymbols::Device, NvmlSymbols::Memory* m) {
      return *m = {150'754'820'096, 1, 2}, 0;
    };
    s.pci_info = [](NvmlSymbols::Device d, NvmlSymbols::PciInfo* p) {
      return copy(number(d) == 0 ? "00000000:3B:00.0" : "0001ABCD:AF:00.0", p->bus_id, 32);
    };
    s.compute_capability = [](NvmlSymbols::Device, int* major, int* minor) {
      return *major = 9, *minor = 0, 0;
    };
    s.power_limit = [](NvmlSymbols::Device, unsigned* mw) { return *mw = 700'000, 0; };
    s.power_usage = [](NvmlSymbols::Device, unsigned* mw) { return *mw = 123'456, 0; };
    s.ecc_mode = [](NvmlSymbols::Device, int* now, int* pending) {
      return *now = 1, *pending = 0, 0;
    };
    s.clock = [](NvmlSymbols::Device, int type, unsigned* mhz) {
      return *mhz = type == 1 ? 1980 : 3201, 0;
    };
    s.temperature = [](NvmlSymbols::Device d, int, unsigned* celsius) {
      return *celsius = 40U + static_cast<unsigned>(number(d)), 0;
    };
    s.throttle_reasons = [](NvmlSymbols::Device, unsigned long long* bits) {
      return *bits = 0x25, 0;  // idle, power cap, thermal
    };
    s.compute_processes = [](NvmlSymbols::Device, unsigned* count, NvmlSymbols::Process* out) {
      out[0].pid = 100;
      out[1].pid = 200;
      return *count = 2, 0;
    };
    return s;
  }
};

TEST(Nvml, DescribesEachGpu) {
  const auto nvml = Nvml::open(FakeDriver::symbols());
  ASSERT_TRUE(nvml);
  EXPECT_EQ(nvml->driver_version(), "580.65.06");
  const auto gpus = nvml->gpus();
  ASSERT_EQ(gpus.size(), 2U);
  EXPECT_EQ(gpus[0].index, 0);
  EXPECT_EQ(gpus[0].uuid, "GPU-aaaa");
  EXPECT_EQ(gpus[0].name, "NVIDIA H200");
  EXPECT_EQ(gpus[0].memory.value, 150'754'820'096);
  EXPECT_EQ(gpus[0].pci_bus_id, "0000:3b:00.0");  // as sysfs spells it
  EXPECT_EQ(gpus[0].compute_capability, "9.0");
  EXPECT_EQ(gpus[0].power_limit_watts, 700.0);
  EXPECT_EQ(gpus[0].ecc, true);
  EXPECT_EQ(gpus[1].index, 1);
  EXPECT_EQ(gpus[1].uuid, "GPU-bbbb");
  EXPECT_EQ(gpus[1].pci_bus_id, "abcd:af:00.0");
}

TEST(Nvml, ReadsTheStateOfTheGpuThatIsNamed) {
  const auto nvml = Nvml::open(FakeDriver::symbols());
  const NvmlState state = nvml->state("GPU-bbbb");
  EXPECT_EQ(state.sm_clock_mhz, 1980);
  EXPECT_EQ(state.memory_clock_mhz, 3201);
  EXPECT_EQ(state.temperature_celsius, 41.0);
  EXPECT_EQ(state.power_watts, 123.456);
  EXPECT_EQ(state.throttle_reasons, "sw_power_cap,sw_thermal_slowdown");
  EXPECT_THAT(state.compute_pids, ElementsAre(100, 200));
  EXPECT_FALSE(nvml->state("GPU-cccc").sm_clock_mhz);
}

TEST(Nvml, LeavesEmptyWhatAnOldDriverLacks) {
  NvmlSymbols full = FakeDriver::symbols();
  NvmlSymbols few;
  few.init = full.init;
  few.device_count = full.device_count;
  few.device_by_index = full.device_by_index;
  few.uuid = full.uuid;
  const auto nvml = Nvml::open(few);
  ASSERT_TRUE(nvml);
  EXPECT_EQ(nvml->driver_version(), "");
  const auto gpus = nvml->gpus();
  ASSERT_EQ(gpus.size(), 2U);
  EXPECT_EQ(gpus[0].name, "");
  EXPECT_EQ(gpus[0].pci_bus_id, "");
  EXPECT_FALSE(gpus[0].ecc);
  const NvmlState state = nvml->state("GPU-aaaa");
  EXPECT_FALSE(state.temperature_celsius);
  EXPECT_EQ(state.throttle_reasons, "");
  EXPECT_THAT(state.compute_pids, IsEmpty());
}

TEST(Nvml, LeavesEmptyWhatTheBoardDoesNotSupport) {
  NvmlSymbols symbols = FakeDriver::symbols();
  symbols.ecc_mode = [](NvmlSymbols::Device, int*, int*) { return kNotSupported; };
  symbols.power_limit = [](NvmlSymbols::Device, unsigned* mw) {
    return *mw = 12345, kNotSupported;  // its output must not be used
  };
  const auto gpus = Nvml::open(symbols)->gpus();
  EXPECT_FALSE(gpus[0].ecc);
  EXPECT_FALSE(gpus[0].power_limit_watts);
}

TEST(Nvml, LeavesOutAGpuThatFellOffTheBus) {
  NvmlSymbols symbols = FakeDriver::symbols();
  symbols.device_by_index = [](unsigned i, NvmlSymbols::Device* d) {
    *d = &FakeDriver::boards[i];
    return i == 0 ? kGpuIsLost : 0;
  };
  const auto gpus = Nvml::open(symbols)->gpus();
  ASSERT_EQ(gpus.size(), 1U);
  EXPECT_EQ(gpus[0].index, 1);
}

TEST(Nvml, IsNotThereWithoutLibraryDriverOrSymbols) {
  EXPECT_EQ(Nvml::open("libnvidia-ml-of-nobody.so.1"), nullptr);
  EXPECT_EQ(Nvml::open("libc.so.6"), nullptr);  // a library, but not this one
  NvmlSymbols no_driver = FakeDriver::symbols();
  no_driver.init = [] { return 9; };  // NVML_ERROR_DRIVER_NOT_LOADED
  EXPECT_EQ(Nvml::open(no_driver), nullptr);
  EXPECT_EQ(Nvml::open(NvmlSymbols{}), nullptr);
}

TEST(Nvml, ShutsDownWhatItStarted) {
  auto nvml = Nvml::open(FakeDriver::symbols());
  EXPECT_EQ(FakeDriver::initialized, 1);
  nvml.reset();
  EXPECT_EQ(FakeDriver::initialized, 0);
}

TEST(ThrottleNames, AreWhatSlowsTheGpuDownAgainstItsSettings) {
  EXPECT_EQ(throttle_names(0), "");
  EXPECT_EQ(throttle_names(0x01), "");   // idle
  EXPECT_EQ(throttle_names(0x02), "");   // clocks set on purpose
  EXPECT_EQ(throttle_names(0x100), "");  // a display's clock
  EXPECT_EQ(throttle_names(0x04), "sw_power_cap");
  EXPECT_EQ(throttle_names(0xfff),
            "sw_power_cap,hw_slowdown,sync_boost,sw_thermal_slowdown,hw_thermal_slowdown,"
            "hw_power_brake_slowdown");
}

TEST(OtherProcesses, DoNotCountTheCaller) {
  struct {
    std::vector<std::int64_t> pids;
    OwnContext own;
    std::int64_t others;
  } const cases[] = {
      {{}, OwnContext::kNone, 0},
      {{}, OwnContext::kOpen, 0},
      {{7}, OwnContext::kOpen, 0},
      {{7, 8}, OwnContext::kOpen, 1},
      {{8, 9}, OwnContext::kNone, 2},
      {{7, 9}, OwnContext::kNone, 1},  // listed, although it claims to have no context
      {{4001}, OwnContext::kOpen, 0},  // a container: listed under the host's process number
      {{4001, 4002}, OwnContext::kOpen, 1},
  };
  for (const auto& c : cases) {
    NvmlState state;
    state.compute_pids = c.pids;
    EXPECT_EQ(other_processes(state, 7, c.own), c.others) << testing::PrintToString(c.pids);
  }
}

}  // namespace
}  // namespace sweepd
