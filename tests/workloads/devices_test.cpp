// Tests make_device on a machine without a GPU, and the CPU as a device.
#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include "workloads/torch/aten.h"

#include <cstdlib>
#include <new>

#include "runner/base/host.h"
#include "workloads/api/device.h"
#include "workloads/api/failure.h"

namespace sweepd {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

TEST(CpuDevice, DescribesItself) {
  const auto device = make_device({});
  EXPECT_EQ(device->kind(), "cpu");
  EXPECT_EQ(device->index(), 0);
  const DeviceInfo info = device->info();
  EXPECT_EQ(info.kind, "cpu");
  EXPECT_FALSE(info.name.empty());
  EXPECT_GT(info.memory.value, 0);
  Environment environment;
  device->fill_versions(environment);
  EXPECT_EQ(environment.torch_version, "2.11.0");
  EXPECT_THAT(environment.cpu_math,
              MatchesRegex("mkl-(avx512|avx2|vendor-default)(, bf16 in fp32)?"));
  EXPECT_FALSE(environment.tf32_matmul.has_value());
}

TEST(CpuDevice, SetsTheThreads) {
  const int before = at::get_num_threads();
  for (const int threads : {1, 2}) {
    DeviceOptions options;
    options.threads = threads;
    Environment environment;
    make_device(options)->fill_versions(environment);
    EXPECT_EQ(at::get_num_threads(), threads);
    EXPECT_EQ(environment.threads, threads);
  }
  at::set_num_threads(before);
}

TEST(CpuDevice, SeesTensorsInItsMemory) {
  const auto device = make_device({});
  device->reset_peak_memory();
  const MemoryUsage before = device->memory();
  EXPECT_EQ(before.peak_allocated, before.allocated);
  {
    const at::Tensor block = at::ones({1 << 20}, at::kByte);
    EXPECT_EQ(device->memory().allocated.value - before.allocated.value, 1 << 20);
    EXPECT_GT(device->memory().device_in_use.value, 1 << 20);  // the whole process is resident
  }
  const MemoryUsage after = device->memory();
  EXPECT_EQ(after.allocated, before.allocated);
  EXPECT_EQ(after.peak_allocated.value - before.allocated.value, 1 << 20);
}

TEST(CpuDevice, FlushesMoreThanTheLastLevelCache) {
  auto device = make_device({});
  const Bytes before = device->memory().allocated;
  const Bytes flushed = device->flush_cache({});
  EXPECT_GT(flushed, read_host().cache);
  EXPECT_EQ(device->flush_cache({}), flushed);
  EXPECT_EQ(device->memory().allocated.value - before.value, flushed.value) << "one buffer";
  device = make_device({});
  EXPECT_EQ(device->memory().allocated, before) << "it goes with the device";
}

TEST(CpuDevice, AFlushThatDoesNotFitIsOutOfMemory) {
  DeviceOptions options;
  options.memory_limit = 1_MiB;
  EXPECT_THROW(make_device(options)->flush_cache({}), OutOfMemory);
}

TEST(CpuDevice, TurnsABadAllocIntoOutOfMemoryAndNothingElse) {
  const auto device = make_device({});
  const auto rethrow = [&](auto exception) {
    try {
      throw exception;
    } catch (...) {
      device->rethrow_out_of_memory();
    }
  };
  EXPECT_THROW(rethrow(OutOfMemory({5}, {6}, {7})), OutOfMemory);
  EXPECT_THROW(rethrow(std::bad_alloc()), OutOfMemory);
  EXPECT_NO_THROW(rethrow(std::runtime_error("shapes differ")));
}

// A workload may catch a refusal and continue. A later failure is then not out of memory.
TEST(CpuDevice, AnErrorAfterARefusalIsWhatItSays) {
  DeviceOptions options;
  options.memory_limit = 1_MiB;
  const auto device = make_device(options);
  EXPECT_THROW(at::empty({1 << 21}, at::kByte), OutOfMemory);
  const auto rethrow = [&](const char* what) {
    try {
      throw std::runtime_error(what);
    } catch (...) {
      device->rethrow_out_of_memory();
    }
  };
  EXPECT_NO_THROW(rethrow("shapes differ"));
  EXPECT_THROW(rethrow("aoti_torch_empty_strided(...) API call failed at model.cpp, line 12"),
               OutOfMemory);
}

TEST(CpuDevice, TimelineGoesForward) {
  const auto timeline = make_device({})->timeline(3);
  timeline->mark();
  timeline->mark();
  timeline->mark();
  EXPECT_GE(timeline->elapsed_ms(0, 1), 0);
  EXPECT_GE(timeline->elapsed_ms(0, 2), timeline->elapsed_ms(0, 1));
}

// The linker must export our answer, or MKL would silently use its own.
TEST(MklPath, TheProgramAnswersForMkl) {
  using Answer = int (*)();
  const auto visible = reinterpret_cast<Answer>(dlsym(RTLD_DEFAULT, "mkl_serv_intel_cpu_true"));
  ASSERT_NE(visible, nullptr);
  Dl_info info{};
  ASSERT_NE(dladdr(reinterpret_cast<void*>(visible), &info), 0);
  EXPECT_THAT(info.dli_fname, ::testing::Not(HasSubstr("libtorch_cpu")));
}

std::string refusal_of(const std::string& kind) {
  DeviceOptions options;
  options.kind = kind;
  try {
    make_device(options);
  } catch (const Unavailable& error) {
    return error.what();
  }
  return "made";
}

TEST(Devices, UnknownKindsAreNamed) {
  EXPECT_THAT(refusal_of("tpu"), HasSubstr("`tpu`"));
}

TEST(Devices, CudaWithoutADriverSaysSo) {
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY);
  if (driver != nullptr) GTEST_SKIP() << "this machine has an NVIDIA driver";
  EXPECT_THAT(refusal_of("cuda"), HasSubstr("no NVIDIA driver on this machine"));
  EXPECT_THAT(refusal_of("cuda"), HasSubstr("libcuda.so.1")) << "asked a second time";
}

}  // namespace
}  // namespace sweepd
