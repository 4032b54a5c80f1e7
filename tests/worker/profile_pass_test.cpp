#include "runner/worker/passes/profile_pass.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/worker/fake_device.h"
#include "tests/worker/fake_profiler.h"

namespace sweepd {
namespace {

using ::testing::ElementsAre;

Recording one_product(int times) {
  Recording recording;
  for (int i = 0; i < times; ++i) recording.operators.push_back(op("aten::mm", 10 * i, 10 * i + 5));
  return recording;
}

class ProfilePass : public ::testing::Test {
 protected:
  FakeDevice device;
  PhaseNames phases{{"forward", "backward"}};
  AttemptProgress progress;
};

TEST_F(ProfilePass, DiscardsAStepComparesTheNextAndKeepsTheLast) {
  FakeProfiler profiler({one_product(9), one_product(2), one_product(3)});
  ScriptedWorkload workload([](std::int64_t, Phases& p) { p.enter("forward"); });
  const ProfileResult result = profile_step(workload, device, profiler, phases, {1}, progress);
  EXPECT_THAT(profiler.calls, ElementsAre("forward", "start", "forward", "take", "forward", "take",
                                          "forward", "take", "stop"));
  ASSERT_EQ(result.summary.kernels.size(), 1U);
  EXPECT_EQ(result.summary.kernels[0].calls, 3);
  EXPECT_EQ(result.differing_kernels, 1) << "2 calls in one step, 3 in the next";
  EXPECT_NEAR(result.kernel_ms, 15e-6, 1e-12);
}

TEST_F(ProfilePass, EqualStepsDifferInNothingAndDropsOfBothCount) {
  Recording first = one_product(2), second = one_product(2);
  first.dropped = 3;
  second.dropped = 4;
  FakeProfiler profiler({{}, first, second});
  ScriptedWorkload workload([](std::int64_t, Phases&) {});
  const ProfileResult result = profile_step(workload, device, profiler, phases, {0}, progress);
  EXPECT_EQ(result.differing_kernels, 0);
  EXPECT_EQ(result.dropped_records, 7U);
}

TEST_F(ProfilePass, WarmsUpThreeStepsAtMost) {
  for (const auto& [asked, steps] : {std::pair{0, 3}, {2, 5}, {3, 6}, {500, 6}}) {
    FakeProfiler profiler({{}, {}, {}});
    int ran = 0;
    ScriptedWorkload workload([&](std::int64_t, Phases&) { ++ran; });
    profile_step(workload, device, profiler, phases, {asked}, progress);
    EXPECT_EQ(ran, steps) << asked;
  }
}

TEST_F(ProfilePass, AStepThatThrowsStopsTheObserver) {
  FakeProfiler profiler({{}, {}, {}});
  ScriptedWorkload workload([](std::int64_t index, Phases&) {
    if (index == 1) throw std::runtime_error("boom");
  });
  EXPECT_THROW(profile_step(workload, device, profiler, phases, {0}, progress), std::runtime_error);
  EXPECT_THAT(profiler.calls, ElementsAre("start", "take", "stop"));
}

}  // namespace
}  // namespace sweepd
