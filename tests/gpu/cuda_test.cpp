// Compares the CUDA device and lm_step on it with the reference that is used on the CPU. Skipped
// without a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "tests/gpu/cuda_fixture.h"

namespace sweepd {
namespace {

using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

using Cuda = CudaFixture;

TEST_F(Cuda, DescribesItself) {
  const DeviceInfo info = harness->device->info();
  EXPECT_EQ(info.kind, "cuda");
  EXPECT_THAT(info.uuid, ::testing::MatchesRegex("GPU-[0-9a-f-]{36}"));
  EXPECT_FALSE(info.name.empty());
  EXPECT_FALSE(info.driver.empty());
  EXPECT_GT(info.memory.value, 1 << 30);
  EXPECT_TRUE(harness->device->state().sm_clock_mhz.has_value()) << "NVML does not know the UUID";
  Environment environment;
  harness->device->fill_versions(environment);
  EXPECT_THAT(environment.cuda_version, HasSubstr("13."));
  EXPECT_FALSE(environment.cudnn_version.empty());
  EXPECT_FALSE(environment.nccl_version.empty());
}

// A long product takes the same time by events and by the host clock around a synchronise.
TEST_F(Cuda, TimelineMeasuresTheWorkAndNotItsLaunch) {
  const auto workload = harness->make("matmul", {{"size", "8192"}});
  RecordedPhases phases;
  workload->step(phases);
  harness->device->synchronize();
  const auto timeline = harness->device->timeline(2);
  const auto start = std::chrono::steady_clock::now();
  timeline->mark();
  workload->step(phases);
  timeline->mark();
  harness->device->synchronize();
  const double host_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  EXPECT_GT(timeline->elapsed_ms(0, 1), 0.5 * host_ms);
  EXPECT_LE(timeline->elapsed_ms(0, 1), host_ms);
}

TEST_F(Cuda, MatmulPassesItsCheckInEveryPrecision) {
  for (const char* precision : {"fp32", "tf32", "bf16", "fp16"}) {
    const auto check =
        harness->make("matmul", {{"size", "2048"}, {"precision", precision}})->check();
    ASSERT_TRUE(check.has_value());
    EXPECT_TRUE(check->passed) << precision << ": " << check->message;
  }
}

TEST_F(Cuda, MemcpyPassesItsCheck) {
  EXPECT_TRUE(harness->make("memcpy", {{"bytes", "64MiB"}})->check()->passed);
}

TEST_F(Cuda, LossesEqualTheReference) {
  LmStepParams params = small_case();
  for (const char* attention : {"naive", "sdpa_math", "sdpa_efficient"}) {
    for (const char* optimizer : {"adamw_fused", "adamw_foreach", "adamw_loop"}) {
      params.attention = attention;
      params.optimizer = optimizer;
      EXPECT_THAT(losses(params, 4, 1, at::kCUDA),
                  Pointwise(DoubleNear(1e-5), reference_losses(params, 4, 1, at::kCUDA)))
          << attention << " " << optimizer;
    }
  }
}

TEST_F(Cuda, LowPrecisionLossesAgreeToTheirPrecision) {
  struct Case {
    const char* precision;
    const char* attention;
    double allowed;
  };
  for (const Case& c :
       {Case{"tf32", "naive", 0.01}, Case{"bf16", "naive", 0.03}, Case{"bf16", "sdpa_flash", 0.03},
        Case{"bf16", "sdpa_cudnn", 0.03}, Case{"bf16_pure", "sdpa_flash", 0.06},
        Case{"fp16", "naive", 0.004}, Case{"fp16", "sdpa_flash", 0.004},
        Case{"fp32", "flash", 1e-3}, Case{"bf16", "flash", 0.03}, Case{"fp16", "flash", 0.004}}) {
    LmStepParams params = small_case();
    params.precision = c.precision;
    params.attention = c.attention;
    EXPECT_THAT(losses(params, 4, 1, at::kCUDA),
                Pointwise(DoubleNear(c.allowed), reference_losses(params, 4, 1, at::kCUDA)))
        << c.precision << " " << c.attention;
  }
}

TEST_F(Cuda, FlashInFp32IsUnavailable) {
  EXPECT_THROW(harness->make("lm_step", {{"model", "tiny"}, {"attention", "sdpa_flash"}}),
               Unavailable);
}

TEST_F(Cuda, FlushesMoreThanItsL2) {
  Device& device = *harness->device;
  const Bytes before = device.memory().allocated;
  const Bytes flushed = device.flush_cache({});
  device.synchronize();
  EXPECT_GT(flushed, device.info().cache);
  EXPECT_GT(device.info().cache, Bytes{});
  EXPECT_EQ(device.memory().allocated.value - before.value, flushed.value);
}

TEST_F(Cuda, ALimitIsOutOfMemoryWithTheBytesAsked) {
  device_options.memory_limit = 512_MiB;
  const auto device = make_device(device_options);
  try {
    try {
      const auto bytes = at::TensorOptions().device(at::kCUDA).dtype(at::kByte);
      const at::Tensor held = at::empty({256 << 20}, bytes);  // freed before the error is caught
      at::empty({1 << 30}, bytes);
      FAIL() << "1 GiB fitted into 512 MiB";
    } catch (...) {
      device->rethrow_out_of_memory();
      throw;
    }
  } catch (const OutOfMemory& error) {
    EXPECT_EQ(error.requested.value, 1 << 30);
    EXPECT_GE(error.in_use.value, 256 << 20);
    EXPECT_NEAR(static_cast<double>(error.limit.value), 512.0 * (1 << 20), 1 << 20);
  }
}

}  // namespace
}  // namespace sweepd
