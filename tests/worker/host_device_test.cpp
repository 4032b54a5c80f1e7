#include "workloads/api/host_device.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <new>
#include <thread>

#include "workloads/api/workload.h"

namespace sweepd {
namespace {

#if defined(SWEEPD_UNDER_ASAN) || defined(SWEEPD_UNDER_TSAN)
constexpr bool kSanitized = true;  // their allocators reserve, keep and abort differently
#else
constexpr bool kSanitized = false;
#endif

// The block is touched, so that it is resident, and hidden from the optimiser.
std::unique_ptr<char[]> resident_block(std::int64_t bytes) {
  auto block = std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(bytes));
  std::memset(block.get(), 1, static_cast<std::size_t>(bytes));
  asm volatile("" : : "r"(block.get()) : "memory");
  return block;
}

TEST(HostDevice, TheTimelineMeasuresBetweenItsMarks) {
  HostDevice device({});
  const auto timeline = device.timeline(3);
  for (int round = 0; round < 2; ++round) {
    timeline->clear();
    timeline->mark();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    timeline->mark();
    timeline->mark();
    EXPECT_GE(timeline->elapsed_ms(0, 1), 5);
    EXPECT_GE(timeline->elapsed_ms(1, 2), 0);
    EXPECT_GE(timeline->elapsed_ms(0, 2), timeline->elapsed_ms(0, 1));
  }
}

TEST(HostDevice, ThePeakIsSinceTheReset) {
  if (kSanitized) GTEST_SKIP() << "freed memory stays resident under sanitizers";
  HostDevice device({});
  constexpr std::int64_t kBlock = 64 << 20;
  constexpr std::int64_t kSlack = 4 << 20;  // the kernel counts pages in batches per core
  device.reset_peak_memory();
  const std::int64_t with_block = device.memory().allocated.value + kBlock - kSlack;
  { const auto block = resident_block(kBlock); }
  EXPECT_GE(device.memory().peak_allocated.value, with_block);
  EXPECT_LT(device.memory().allocated.value, with_block);
  device.reset_peak_memory();
  EXPECT_LT(device.memory().peak_allocated.value, with_block);
}

TEST(HostDevice, AMemoryLimitRefusesWhatGoesBeyondAndEndsWithTheDevice) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer's allocator aborts instead of throwing";
  DeviceOptions options;
  options.memory_limit = 64_MiB;
  {
    HostDevice device(options);
    EXPECT_NE(resident_block(16 << 20), nullptr);
    EXPECT_THROW(resident_block(256 << 20), std::bad_alloc);
  }
  EXPECT_NE(resident_block(256 << 20), nullptr);
}

TEST(HostDevice, SaysWhoItIs) {
  HostDevice device({});
  EXPECT_EQ(device.info().kind, "cpu");
  EXPECT_FALSE(device.info().uuid.empty());
  EXPECT_GT(device.info().memory.value, 0);
  EXPECT_GE(device.state().load_average, 0);
}

TEST(MakeDevice, WithoutLibTorchThereIsOnlyTheCpu) {
  EXPECT_EQ(make_device({})->kind(), "cpu");
  DeviceOptions options;
  options.kind = "cuda";
  EXPECT_THROW(make_device(options), Unavailable);
}

}  // namespace
}  // namespace sweepd
