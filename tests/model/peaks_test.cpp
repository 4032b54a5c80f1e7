#include <gtest/gtest.h>

#include "runner/model/machine/peaks.h"

namespace sweepd {
namespace {

// Dense figures. The 1,979 that is advertised for H100 and H200 is with 2:4 sparsity.
TEST(Peaks, DenseFiguresByDeviceAndArithmetic) {
  struct Case {
    const char* device;
    double fp32, tf32, bf16;  // TFLOP/s
    double memory;            // GB/s
  };
  const Case cases[] = {
      {"NVIDIA A100-SXM4-80GB", 19.5, 156, 312, 2039},
      {"NVIDIA A100 80GB PCIe", 19.5, 156, 312, 1935},
      {"NVIDIA A100-SXM4-40GB", 19.5, 156, 312, 1555},
      {"NVIDIA A100-PCIE-40GB", 19.5, 156, 312, 1555},
      {"NVIDIA H100 80GB HBM3", 66.9, 494.7, 989.4, 3350},
      {"NVIDIA H100 PCIe", 51.2, 378, 756, 2000},
      {"NVIDIA H100 NVL", 60, 417.5, 835.5, 3900},
      {"NVIDIA H200", 66.9, 494.7, 989.4, 4800},
      {"NVIDIA H200 NVL", 60, 417.5, 835.5, 4800},
  };
  for (const Case& c : cases) {
    const auto peak = [&](const char* arithmetic) {
      const auto found = datasheet_peak(c.device, arithmetic);
      EXPECT_TRUE(found) << c.device;
      return found ? *found : Peak{};
    };
    EXPECT_DOUBLE_EQ(peak("fp32").flops_per_s, c.fp32 * 1e12) << c.device;
    EXPECT_DOUBLE_EQ(peak("tf32").flops_per_s, c.tf32 * 1e12) << c.device;
    EXPECT_DOUBLE_EQ(peak("3xtf32").flops_per_s, c.tf32 / 3 * 1e12) << c.device;
    EXPECT_DOUBLE_EQ(peak("bf16").flops_per_s, c.bf16 * 1e12) << c.device;
    EXPECT_DOUBLE_EQ(peak("fp16").flops_per_s, c.bf16 * 1e12) << c.device;
    EXPECT_DOUBLE_EQ(peak("bf16").bytes_per_s, c.memory * 1e9) << c.device;
    EXPECT_EQ(peak("bf16").source, PeakSource::kDatasheet);
    EXPECT_LT(peak("bf16").flops_per_s, 1000e12) << "a sparse figure";
  }
}

TEST(Peaks, HopperReachesItsTensorFigureBelowItsFastestClock) {
  // 132 multiprocessors, each of 4096 FLOPs in a clock.
  const auto peak = datasheet_peak("NVIDIA H200", "bf16");
  EXPECT_NEAR(peak->flops_per_s / (132 * 4096.0) / 1e6, peak->clock_mhz, 1);
  const auto nvl = datasheet_peak("NVIDIA H100 NVL", "bf16");
  EXPECT_NEAR(nvl->flops_per_s / (132 * 4096.0) / 1e6, nvl->clock_mhz, 1);
  const auto pcie = datasheet_peak("NVIDIA H100 PCIe", "bf16");
  EXPECT_NEAR(pcie->flops_per_s / (114 * 4096.0) / 1e6, pcie->clock_mhz, 1);
  EXPECT_EQ(datasheet_peak("NVIDIA H200", "fp32")->clock_mhz, 0);
  EXPECT_EQ(datasheet_peak("NVIDIA A100-SXM4-80GB", "bf16")->clock_mhz, 0);
}

TEST(Peaks, UnknownDevicesHaveNone) {
  for (const char* device :
       {"", "NVIDIA", "NVIDIA H300", "H20", "NVIDIA A100-SXM4-80GB MIG 1g.10gb",
        "AMD Instinct MI300X", "Intel(R) Xeon(R) Platinum 8480+"}) {
    EXPECT_FALSE(datasheet_peak(device, "bf16")) << device;
  }
}

TEST(Peaks, OldDriversLeaveTheVendorOut) {
  EXPECT_TRUE(datasheet_peak("A100-SXM4-40GB", "fp32"));
}

TEST(Peaks, ADeviceOfAnotherSizeIsAnotherDevice) {
  EXPECT_TRUE(datasheet_peak("NVIDIA H200", "bf16", 132));
  EXPECT_FALSE(datasheet_peak("NVIDIA H200", "bf16", 60));
  EXPECT_TRUE(datasheet_peak("NVIDIA H100 PCIe", "bf16", 114));
}

TEST(Peaks, TheRooflineIsTheSlowerOfComputeAndMemory) {
  const Peak peak{100e12, 1e12};
  const auto compute = roofline_share(20e12, 0.1e12, 1, peak);
  ASSERT_TRUE(compute);
  EXPECT_DOUBLE_EQ(compute->share, 0.2);
  EXPECT_EQ(compute->bound, RooflineShare::Bound::kCompute);
  const auto memory = roofline_share(20e12, 0.5e12, 1, peak);
  ASSERT_TRUE(memory);
  EXPECT_DOUBLE_EQ(memory->share, 0.5);
  EXPECT_EQ(memory->bound, RooflineShare::Bound::kMemory);
  EXPECT_FALSE(roofline_share(20e12, 0.5e12, 1, {0, 1e12})) << "no peak of this arithmetic";
  EXPECT_TRUE(roofline_share(0, 0.5e12, 1, {0, 1e12})) << "which copies do not need";
  EXPECT_FALSE(roofline_share(20e12, 0.5e12, 0, peak));
  EXPECT_FALSE(roofline_share(20e12, 0.5e12, 1, {100e12, 0}));
}

TEST(Peaks, TheCacheIsTheDevicesOwn) {
  DeviceInfo device;
  device.kind = "cuda";
  device.name = "NVIDIA H200";
  HostInfo host;
  host.cores = 2;
  EXPECT_EQ(limit_of(device, host, "bf16")->cache_bytes, 50 * 0x1p20) << "of an old result";
  device.cache = {60 * 1024 * 1024};
  EXPECT_EQ(limit_of(device, host, "bf16")->cache_bytes, 60 * 0x1p20);
  device.multiprocessors = 16;
  EXPECT_FALSE(limit_of(device, host, "bf16"));
  device.kind = "cpu";
  EXPECT_EQ(limit_of(device, host, "fp32")->flops_per_s, cpu_ceiling(2, "fp32").flops_per_s);
}

TEST(Peaks, UnknownArithmeticStillHasBandwidth) {
  const auto peak = datasheet_peak("NVIDIA H200", "fp64");
  ASSERT_TRUE(peak);
  EXPECT_EQ(peak->flops_per_s, 0);
  EXPECT_GT(peak->bytes_per_s, 0);
}

}  // namespace
}  // namespace sweepd
