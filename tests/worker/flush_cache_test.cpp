// Tests which attempts flush the caches before their steps, and with how much memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/base/host.h"
#include "runner/worker/run_attempt.h"
#include "tests/worker/attempt_files.h"
#include "tests/worker/fake_device.h"
#include "tests/worker/fake_profiler.h"
#include "workloads/api/host_device.h"

namespace sweepd {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(FlushSize, IsTwiceTheCacheOrMore) {
  struct Row {
    Bytes cache, at_least, size;
  };
  for (const Row& row : {Row{50_MiB, {}, 100_MiB}, Row{50_MiB, 1_MiB, 100_MiB},
                         Row{50_MiB, 256_MiB, 256_MiB}, Row{300_MiB, 256_MiB, 600_MiB}}) {
    EXPECT_EQ(flush_size(row.cache, row.at_least), row.size) << to_text(row.cache);
  }
  EXPECT_EQ(flush_size({}, {}), 256_MiB) << "of an unknown cache";
}

TEST(FlushCache, OfTheHostWritesMoreThanItsLastLevelCache) {
  HostDevice device({});
  constexpr std::int64_t kSlack = 4 << 20;  // the kernel counts pages in batches per core
  const std::int64_t before = device.memory().allocated.value;
  const Bytes flushed = device.flush_cache({});
  EXPECT_GT(flushed, read_host().cache);
  const std::int64_t after = device.memory().allocated.value;
  EXPECT_GE(after - before, flushed.value - kSlack) << "all of it is resident";
  EXPECT_EQ(device.flush_cache({}), flushed);
  EXPECT_LE(device.memory().allocated.value, after + kSlack) << "the same buffer";
}

class CountedDevice final : public FakeDevice {
 public:
  explicit CountedDevice(int& flushes) : flushes_(flushes) {}
  Bytes flush_cache(Bytes at_least) override {
    ++flushes_;
    return FakeDevice::flush_cache(at_least);
  }

 private:
  int& flushes_;
};

struct Flushed {
  int times = 0;
  std::vector<double> fact;  // `flush_bytes`
};

Flushed flushed_in(Pass pass, const char* flush_cache) {
  AttemptFiles files("fault", {{"warmup", "2"}, {"steps", "3"}, {"flush_cache", flush_cache}},
                     pass);
  Flushed flushed;
  WorkerParts parts{Registry::instance(), [&](const DeviceOptions&) {
                      return std::make_unique<CountedDevice>(flushed.times);
                    }};
  parts.make_profiler = [](Device&) {
    return std::make_unique<FakeProfiler>(std::deque<Recording>{{}, {}, {}});
  };
  EXPECT_EQ(run_attempt(files.folder.path(), 0, parts), kExitOk);
  EXPECT_EQ(files.ending(), "done") << name_of(pass);
  for (const FactEvent& fact : files.all<FactEvent>()) {
    if (fact.name == "flush_bytes") flushed.fact.push_back(fact.number.value_or(-1));
  }
  return flushed;
}

TEST(FlushCache, IsOfEachStepOfATimingAndItsSizeIsAFact) {
  const Flushed flushed = flushed_in(Pass::kTiming, "L2");
  EXPECT_EQ(flushed.times, 5) << "of the warm-up, too";
  EXPECT_THAT(flushed.fact, ElementsAre(120 << 20));
  EXPECT_EQ(flushed_in(Pass::kTiming, "none").times, 0);
  EXPECT_THAT(flushed_in(Pass::kTiming, "none").fact, IsEmpty());
}

TEST(FlushCache, IsInNoOtherPass) {
  for (const Pass pass : {Pass::kMemory, Pass::kProfile}) {
    const Flushed flushed = flushed_in(pass, "L2");
    EXPECT_EQ(flushed.times, 0) << name_of(pass);
    EXPECT_THAT(flushed.fact, IsEmpty()) << name_of(pass);
  }
}

}  // namespace
}  // namespace sweepd
