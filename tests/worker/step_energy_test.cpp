// Tests that the energy of steps is measured over all of them together, or of each where a step is
// long enough for the counter.
#include "runner/worker/passes/step_energy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "runner/worker/passes/measure.h"
#include "runner/worker/run_attempt.h"
#include "tests/worker/attempt_files.h"
#include "tests/worker/fake_device.h"
#include "tests/worker/temp_folder.h"

namespace sweepd {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Its updates are 1 ms apart.
class FakeCounter final : public EnergyCounter {
 public:
  std::optional<double> joules() override {
    ++readings;
    return counted;
  }
  Duration update() const override { return milliseconds(1); }
  std::optional<double> counted = 0.0;
  int readings = 0;
};

class MeteredSteps : public ::testing::Test {
 protected:
  // Steps of `ms`; the one of index i uses i + 1 joules. Returns "2 step 3", for example.
  std::vector<std::string> energies(double ms, TimingSettings plan,
                                    const std::function<void(std::int64_t)>& during = {}) {
    ScriptedWorkload workload([&](std::int64_t index, Phases&) {
      device_.enqueue(ms);
      if (counter_.counted) *counter_.counted += static_cast<double>(index + 1);
      if (during) during(index);
    });
    std::vector<std::string> texts;
    TimingHooks hooks;
    hooks.now = [&] { return device_.now(); };
    hooks.energy = &counter_;
    hooks.on_step = [&](const StepEvent& event) {
      for (const Sample& sample : event.samples) {
        if (sample.metric != "energy") continue;
        EXPECT_FALSE(sample.warmup);
        EXPECT_EQ(sample.step, event.step);
        texts.push_back(std::to_string(sample.step) + " " + sample.phase + " " +
                        to_text(sample.value));
      }
    };
    AttemptProgress progress;
    measure_timing(workload, device_, PhaseNames{{}}, plan, progress, hooks);
    return texts;
  }

  FakeDevice device_;
  FakeCounter counter_;
};

TEST_F(MeteredSteps, AreMeasuredTogetherAndWithoutTheWarmup) {
  EXPECT_THAT(energies(4, {2, {3, 0, {}, {}}}), ElementsAre("4 step 4"));  // (3 + 4 + 5) / 3
  EXPECT_EQ(counter_.readings, 2);
}

TEST_F(MeteredSteps, HaveEachTheirOwnWhereOneLastsTenUpdates) {
  EXPECT_THAT(energies(10, {1, {3, 0, {}, {}}}), ElementsAre("1 step 2", "2 step 3", "3 step 4"));
}

TEST_F(MeteredSteps, OfSeveralRanksAreAlwaysMeasuredTogether) {
  EXPECT_THAT(energies(10, {0, {3, 0, {}, {}}, 0, Launch::kExposed, true}),
              ElementsAre("2 step 2"));
}

TEST_F(MeteredSteps, HaveNoneIfAllOfThemAreTooShortForTheCounter) {
  EXPECT_THAT(energies(1, {1, {9, 0, {}, {}}}), IsEmpty());
  EXPECT_THAT(energies(1, {1, {10, 0, {}, {}}}), ElementsAre("10 step 6.5"));
}

TEST_F(MeteredSteps, HaveNoneWhereAReadingFails) {
  counter_.counted.reset();
  EXPECT_THAT(energies(4, {0, {5, 0, {}, {}}}), IsEmpty());
  EXPECT_THAT(energies(10, {0, {5, 0, {}, {}}}), IsEmpty());
  const auto from_the_third = [&](std::int64_t index) {
    if (index == 2) counter_.counted = 0;
  };
  EXPECT_THAT(energies(10, {0, {5, 0, {}, {}}}, from_the_third),
              ElementsAre("3 step 4", "4 step 5"));
}

// The counter would count the wait that keeps the device busy.
TEST_F(MeteredSteps, HaveNoneWithLaunchesAhead) {
  EXPECT_THAT(energies(4, {0, {9, 0, {}, {}}, 0, Launch::kAhead}), IsEmpty());
}

// The counter would count the flushes between the steps.
TEST_F(MeteredSteps, HaveNoneWithAFlush) {
  TimingSettings plan{0, {9, 0, {}, {}}};
  plan.flush = FlushCache::kL2;
  EXPECT_THAT(energies(20, plan), IsEmpty());
}

// RAPL begins again after some minutes.
TEST_F(MeteredSteps, OfALongMeasurementReadTheCounterNowAndThen) {
  energies(9, {0, {10'000, 0, {}, {}}});  // 90 s
  EXPECT_EQ(counter_.readings, 2 + 2);
}

class CpuWithRapl final : public FakeDevice {
 public:
  explicit CpuWithRapl(const TempFolder& root) : zone_(root.path() / kZone) {
    std::filesystem::create_directories(zone_);
    std::ofstream(zone_ / "name") << "package-0\n";
  }
  std::string_view kind() const override { return "cpu"; }
  // The loop waits for the device before and after each step.
  void synchronize() override {
    FakeDevice::synchronize();
    std::ofstream(zone_ / "energy_uj") << (joules_ += 2) * 1'000'000 << '\n';
  }

 private:
  static constexpr const char* kZone = "sys/class/powercap/intel-rapl:0";
  std::filesystem::path zone_;
  int joules_ = 0;
};

TEST(EnergyCounterOf, IsRaplOfACpuForTheFirstRankOfAHost) {
  ::unsetenv("SWEEPD_POWERCAP");
  const TempFolder root, empty;
  CpuWithRapl cpu(root);
  cpu.synchronize();
  FakeDevice other;
  EXPECT_NE(energy_counter_of(cpu, 0, root.path()), nullptr);
  EXPECT_EQ(energy_counter_of(cpu, 1, root.path()), nullptr) << "or it would count twice";
  EXPECT_EQ(energy_counter_of(cpu, 0, empty.path()), nullptr);
  EXPECT_EQ(energy_counter_of(other, 0, root.path()), nullptr);
  ::setenv("LOCAL_RANK", "0", 1);
  EXPECT_NE(energy_counter_of(cpu, 4, root.path()), nullptr) << "the first on its host";
  ::unsetenv("LOCAL_RANK");
}

TEST(AttemptEnergy, IsInTheJournalAndCountsAsItsLine) {
  ::unsetenv("SWEEPD_POWERCAP");
  const TempFolder root;
  AttemptFiles files("fault", {{"steps", "5"}});
  WorkerParts parts{Registry::instance(),
                    [&](const DeviceOptions&) { return std::make_unique<CpuWithRapl>(root); }};
  parts.root = root.path();
  Instant now{1'000'000'000};
  parts.now = [&] { return now.ns += milliseconds(4).ns, now; };
  EXPECT_EQ(run_attempt(files.folder.path(), 0, parts), kExitOk);
  EXPECT_EQ(files.ending().substr(0, 4), "done");
  std::vector<double> joules;
  const auto steps = files.all<StepEvent>();
  for (const StepEvent& event : steps) {
    for (const Sample& sample : event.samples) {
      if (sample.metric == "energy") joules.push_back(sample.value);
    }
  }
  EXPECT_THAT(joules, ElementsAre(4));
  EXPECT_EQ(files.all<EndEvent>().at(0).steps, static_cast<std::int64_t>(steps.size()));
}

}  // namespace
}  // namespace sweepd
