// Tests that readings of the device belong to the steps in which they fall, and where they are
// taken.
#include "runner/worker/sampling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <stdlib.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>

#include "runner/base/host.h"
#include "runner/worker/passes/measure.h"
#include "runner/worker/run_attempt.h"
#include "tests/worker/attempt_files.h"
#include "tests/worker/fake_device.h"
#include "tests/worker/temp_folder.h"

namespace sweepd {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ScriptedReadings final : public ReadingSource {
 public:
  std::vector<TimedReading> take() override { return std::exchange(waiting, {}); }
  std::vector<TimedReading> waiting;
};

class SampledSteps : public ::testing::Test {
 protected:
  // Steps of 10 ms. Returns "2 device_clock 1980", and "warm-up" behind those of the warm-up.
  std::vector<std::string> samples(TimingSettings plan,
                                   const std::function<void(std::int64_t)>& during) {
    ScriptedWorkload workload([&](std::int64_t index, Phases&) {
      during(index);
      device_.enqueue(10);
    });
    std::vector<std::string> texts;
    TimingHooks hooks;
    hooks.now = [&] { return device_.now(); };
    hooks.readings = &readings_;
    hooks.on_step = [&](const StepEvent& event) {
      for (const Sample& sample : event.samples) {
        if (!sample.metric.starts_with("device_")) continue;
        EXPECT_EQ(sample.phase, "step");
        texts.push_back(std::to_string(sample.step) + " " + sample.metric + " " +
                        to_text(sample.value) + (sample.warmup ? " warm-up" : ""));
      }
    };
    AttemptProgress progress;
    measure_timing(workload, device_, PhaseNames{{}}, plan, progress, hooks);
    return texts;
  }
  void reading(double after_ms, DeviceReading reading) {
    readings_.waiting.push_back(
        {device_.now() + Duration{static_cast<std::int64_t>(after_ms * 1e6)}, reading});
  }

  FakeDevice device_;
  ScriptedReadings readings_;
};

constexpr TimingSettings kThreeSteps{1, {3, 0, {}, {}}};

TEST_F(SampledSteps, HaveTheMeansOfTheReadingsThatFallInThem) {
  EXPECT_THAT(samples(kThreeSteps,
                      [&](std::int64_t step) {
                        if (step == 0) reading(2, {345, {}, {}});
                        if (step == 2) reading(0, {1980, 690, 70});
                        if (step == 2) reading(10, {1970, 700, {}});
                      }),
              ElementsAre("0 device_clock 345 warm-up", "2 device_clock 1975", "2 device_power 695",
                          "2 device_temperature 70"));
}

TEST_F(SampledSteps, HaveNoReadingsFromBetweenThem) {
  EXPECT_THAT(samples(kThreeSteps,
                      [&](std::int64_t) {
                        reading(-0.1, {1980, {}, {}});
                        reading(10.1, {1980, {}, {}});
                      }),
              IsEmpty());
}

// Counts its readings; the clock is 1,000 MHz more than their number.
class CountingMeter final : public DeviceMeter {
 public:
  explicit CountingMeter(std::atomic<int>& readings) : readings_(readings) {}
  DeviceReading read() override { return {1000.0 + ++readings_, {}, {}}; }

 private:
  std::atomic<int>& readings_;
};

// When it returns, a whole reading has been made and can be taken.
void wait_for_a_reading(const std::atomic<int>& readings) {
  const int before = readings;
  while (readings < before + 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(DeviceSampler, ReadsOnAThreadOfItsOwnUntilItsEnd) {
  std::atomic<int> readings = 0;
  std::int64_t now = 0;
  {
    DeviceSampler sampler(std::make_unique<CountingMeter>(readings), {}, Duration{1'000},
                          [&] { return Instant{++now}; });
    wait_for_a_reading(readings);
    const auto taken = sampler.take();
    ASSERT_FALSE(taken.empty());
    EXPECT_EQ(taken[0].reading.clock_mhz, 1001);
    EXPECT_EQ(taken[0].at, Instant{1});
    wait_for_a_reading(readings);
    const auto later = sampler.take();
    ASSERT_FALSE(later.empty());
    EXPECT_EQ(later[0].at, taken.back().at + Duration{1}) << "each once";
  }
  const int ended = readings;
  std::this_thread::yield();
  EXPECT_EQ(readings, ended);
}

TEST(DeviceSampler, ReadsNothingIfItCannotBeBound) {
  std::atomic<int> readings = 0;
  { DeviceSampler sampler(std::make_unique<CountingMeter>(readings), {CPU_SETSIZE - 1}); }
  EXPECT_EQ(readings, 0);
}

Lease lease_of(std::vector<std::vector<int>> ranks) {
  Lease lease;
  for (auto& cores : ranks) lease.ranks.push_back({std::move(cores), "", -1});
  return lease;
}

TEST(SpareCores, OfAGpuAreThoseOfTheRankIfItHasTwo) {
  const TempFolder root;
  EXPECT_THAT(spare_cores(lease_of({{4, 5}}), {{4, 5}, 2}, "cuda", root.path()),
              testing::Optional(ElementsAre(4, 5)));
  EXPECT_EQ(spare_cores(lease_of({{4}}), {{4}, 1}, "cuda", root.path()), std::nullopt);
  EXPECT_THAT(spare_cores(lease_of({{}}), {{}, 8}, "cuda", root.path()),
              testing::Optional(IsEmpty()))
      << "a cluster's job";
}

TEST(SpareCores, OfACpuAreOutsideTheLeaseAndOnOtherPhysicalCores) {
  const TempFolder root;
  const auto cpus = root.path() / "sys/devices/system/cpu";
  const auto spare = [&](std::vector<std::vector<int>> ranks) {
    return spare_cores(lease_of(ranks), {ranks.at(0), 1}, "cpu", root.path());
  };
  EXPECT_EQ(spare({{0}}), std::nullopt) << "without the kernel's list";
  for (int core = 0; core < 8; ++core) {
    const auto topology = cpus / ("cpu" + std::to_string(core)) / "topology";
    std::filesystem::create_directories(topology);
    std::ofstream(topology / "thread_siblings_list") << core % 4 << ',' << core % 4 + 4 << '\n';
  }
  std::ofstream(cpus / "online") << "0-7\n";
  EXPECT_THAT(spare({{0}, {1}}), testing::Optional(ElementsAre(2, 3, 6, 7)));
  EXPECT_EQ(spare({{0, 1, 2, 3}}), std::nullopt);
  EXPECT_EQ(spare({{}}), std::nullopt) << "a cluster's job: the others may be in use";
}

// A step lasts until a whole reading has been made in it.
class WaitingDevice final : public FakeDevice {
 public:
  explicit WaitingDevice(const std::atomic<int>& readings) : readings_(readings) {}
  std::unique_ptr<Timeline> timeline(std::size_t capacity) override {
    measuring_ = true;
    return FakeDevice::timeline(capacity);
  }
  void synchronize() override {
    if (measuring_) wait_for_a_reading(readings_);
  }

 private:
  const std::atomic<int>& readings_;
  bool measuring_ = false;
};

TEST(AttemptSampling, IsInTheJournalUnlessItIsOff) {
  for (const bool off : {false, true}) {
    std::atomic<int> readings = 0;
    const int core = usable_cores().front();
    AttemptFiles files("fault", {{"steps", "1"}, {"warmup", "0"}});
    files.request.lease.ranks = {{{core, core}, "", -1}};
    files.write();
    WorkerParts parts{Registry::instance(), [&](const DeviceOptions&) -> std::unique_ptr<Device> {
                        if (off) return std::make_unique<FakeDevice>();
                        return std::make_unique<WaitingDevice>(readings);
                      }};
    parts.make_meter = [&] { return std::make_unique<CountingMeter>(readings); };
    if (!off) ::unsetenv("SWEEPD_NO_SAMPLING");
    EXPECT_EQ(run_attempt(files.folder.path(), 0, parts), kExitOk);
    EXPECT_EQ(files.ending().substr(0, 4), "done");
    std::vector<std::string> metrics;
    for (const StepEvent& event : files.all<StepEvent>()) {
      for (const Sample& sample : event.samples) metrics.push_back(sample.metric);
    }
    EXPECT_THAT(metrics, Contains("device_clock").Times(off ? 0 : 1));
  }
}

}  // namespace
}  // namespace sweepd
