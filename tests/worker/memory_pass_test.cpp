#include "runner/worker/passes/memory_pass.h"

#include <gtest/gtest.h>

#include "tests/worker/fake_device.h"

namespace sweepd {
namespace {

class MemoryPassTest : public ::testing::Test {
 protected:
  std::vector<PhaseMemory> measure(ScriptedWorkload::Step step, std::int64_t warmup = 0) {
    ScriptedWorkload workload(std::move(step));
    return measure_memory(workload, device, phases, {warmup, {}}, progress).phases;
  }
  // Returns "phase: start -> end, peak allocated, reserved, in use".
  static std::string text(const PhaseMemory& m) {
    const auto number = [](const std::optional<Bytes>& size) {
      return std::to_string(size->value);
    };
    return m.phase + ": " + number(m.at_start) + " -> " + number(m.at_end) + ", peak " +
           number(m.peak_allocated) + ", reserved " + number(m.peak_reserved) + ", in use " +
           number(m.device_in_use);
  }

  FakeDevice device;
  PhaseNames phases{{"forward", "backward"}};
  AttemptProgress progress;
};

TEST_F(MemoryPassTest, EachPhaseHasItsOwnPeak) {
  device.allocate(5000);  // the weights
  const auto rows = measure([&](std::int64_t, Phases& p) {
    p.enter("forward");
    device.allocate(300);
    device.free(100);
    p.enter("backward");
    device.allocate(1100);
    device.free(1300);
  });
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(text(rows[0]), "forward: 5000 -> 5200, peak 5300, reserved 6000, in use 5207");
  EXPECT_EQ(text(rows[1]), "backward: 5200 -> 5000, peak 6300, reserved 7000, in use 5007");
  EXPECT_EQ(text(rows[2]), "step: 5000 -> 5000, peak 6300, reserved 7000, in use 5207");
}

TEST_F(MemoryPassTest, TheStepsPeakCountsWhatLiesOutsideThePhases) {
  const auto rows = measure([&](std::int64_t, Phases& p) {
    device.allocate(900);
    device.free(800);
    p.enter("forward");
    device.allocate(50);
    device.free(150);
  });
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(text(rows[0]), "forward: 100 -> 0, peak 150, reserved 1000, in use 7");
  EXPECT_EQ(text(rows[1]), "step: 0 -> 0, peak 900, reserved 1000, in use 107");
}

TEST_F(MemoryPassTest, APhaseEnteredTwiceSpansBothVisits) {
  const auto rows = measure([&](std::int64_t, Phases& p) {
    p.enter("forward");
    device.allocate(100);
    p.enter("backward");
    device.allocate(2000);
    p.enter("forward");
    device.allocate(10);
  });
  EXPECT_EQ(text(rows.at(0)), "forward: 0 -> 2110, peak 2110, reserved 3000, in use 2117");
  EXPECT_EQ(text(rows.at(1)), "backward: 100 -> 2100, peak 2100, reserved 3000, in use 2107");
}

TEST_F(MemoryPassTest, ObservesTheLastStepAndRunsFewerThanThreeAndOne) {
  struct Row {
    std::int64_t warmup, steps;
  };
  for (const Row& row : {Row{0, 1}, Row{2, 3}, Row{3, 4}, Row{500, 4}}) {
    std::int64_t steps = 0;
    const auto rows = measure(
        [&](std::int64_t index, Phases&) {
          ++steps;
          const std::int64_t size = 1000 * (index + 1);
          device.allocate(size);
          device.free(size);
        },
        row.warmup);
    EXPECT_EQ(steps, row.steps);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].phase, "step");
    EXPECT_EQ(rows[0].peak_allocated->value, 1000 * row.steps);
  }
}

TEST_F(MemoryPassTest, AnUnknownPhaseThrows) {
  EXPECT_THROW(measure([](std::int64_t, Phases& p) { p.enter("optimizer"); }),
               std::invalid_argument);
}

TEST_F(MemoryPassTest, SetupIsASpanOfItsOwn) {
  device.allocate(40);
  device.allocate(60);
  device.free(60);  // an earlier peak of 100 that is not the span's
  MemorySpan span(device, "setup");
  device.allocate(10);
  EXPECT_EQ(text(span.end()), "setup: 40 -> 50, peak 50, reserved 1000, in use 57");
}

}  // namespace
}  // namespace sweepd
