#include "runner/trace/window.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/trace/timeline_builder.h"

namespace sweepd::trace {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> steps_of(const Timeline& timeline) {
  std::vector<std::string> result;
  for (const StepWindow& step : step_windows(timeline)) {
    result.push_back(fmt::format("{} {}: {}-{}", timeline.names[step.name], step.number,
                                 step.window.begin_ns / 1'000, step.window.end_ns / 1'000));
  }
  return result;
}

TEST(Names, AreStoredOnce) {
  Names names;
  EXPECT_EQ(names.add("a"), 0U);
  EXPECT_EQ(names.add("b"), 1U);
  EXPECT_EQ(names.add("a"), 0U);
  EXPECT_EQ(names.size(), 2U);
  EXPECT_EQ(names[1], "b");
  EXPECT_EQ(names.find("b"), 1U);
  EXPECT_EQ(names.find("c"), std::nullopt);
}

TEST(Steps, AreRangesWithAKnownName) {
  EXPECT_THAT(steps_of(TimelineBuilder()
                           .range(0, 10, "ProfilerStep#12")
                           .range(1, 5, "step")
                           .range(10, 25, "ProfilerStep#13")
                           .timeline),
              ElementsAre("ProfilerStep#12 12: 0-10", "ProfilerStep#13 13: 10-25"));
  // The better name counts, wherever it is first.
  EXPECT_THAT(steps_of(TimelineBuilder()
                           .range(0, 10, "iteration 1")
                           .range(1, 5, "Step")
                           .range(6, 9, "Step")
                           .timeline),
              ElementsAre("Step 0: 1-5", "Step 1: 6-9"));
  for (const char* name : {"iteration", "Iter_7", "train_step: 4", "training_step=2", "step3"}) {
    EXPECT_EQ(steps_of(TimelineBuilder().range(0, 1, name).timeline).size(), 1U) << name;
  }
  for (const char* name : {"", "stepper", "Optimizer.step#SGD.step", "step 1 of 4", "my step"}) {
    EXPECT_THAT(steps_of(TimelineBuilder().range(0, 1, name).timeline), IsEmpty()) << name;
  }
}

TEST(Steps, OfSeveralThreadsCountOnce) {
  EXPECT_THAT(steps_of(TimelineBuilder()
                           .range(0, 10, "step 1", 1)
                           .range(1, 11, "step 1", 2)
                           .range(2, 3, "step 1", 1)
                           .range(12, 20, "step 2", 1)
                           .timeline),
              ElementsAre("step 1 1: 0-10", "step 2 2: 12-20"));
}

TEST(Steps, AreOperatorsInOldTraces) {
  EXPECT_THAT(steps_of(TimelineBuilder().op(0, 9, "ProfilerStep#3").timeline),
              ElementsAre("ProfilerStep#3 3: 0-9"));
}

TEST(Windows, AreOfAllOrOfADevice) {
  const Timeline timeline = TimelineBuilder()
                                .op(5, 6, "a")
                                .kernel(10, 40, 0, 7, "k", 2)
                                .kernel(20, 30, 0, 7, "k", 2)
                                .kernel(30, 60, 0, 7, "k", 0)
                                .timeline;
  EXPECT_EQ(whole_window(timeline), (Window{5'000, 60'000}));
  EXPECT_EQ(device_window(timeline, 2), (Window{10'000, 40'000}));
  EXPECT_EQ(device_window(timeline, 1), Window{});
  EXPECT_EQ(whole_window({}), Window{});
  EXPECT_THAT(devices_with_work(timeline), ElementsAre(0, 2));
}

}  // namespace
}  // namespace sweepd::trace
