// Tests devices on which nothing new starts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sched/story.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(PausedDevices, NothingNewStartsOnThemAndWhatRunsGoesOn) {
  Scheduler s(machine_of(4, 2));
  s.add(gpu_timing(1));
  EXPECT_THAT(step_at(s), ElementsAre("start 1 on GPU-0:0,1"));
  s.pause(0, {false, {"GPU-0"}});
  EXPECT_THAT(step_at(s), IsEmpty());
  s.add(gpu_timing(2));
  EXPECT_THAT(step_at(s), ElementsAre("start 2 on GPU-1:2,3"));
  s.finished(1);
  s.add(gpu_timing(3));
  EXPECT_THAT(step_at(s), IsEmpty()) << "the free one is paused";
  EXPECT_EQ(s.queued(), 1U);
  s.pause(0, {});
  EXPECT_THAT(step_at(s), ElementsAre("start 3 on GPU-0:0,1"));
}

TEST(PausedDevices, WithoutTheCpuAttemptsOnGpusGoOn) {
  Scheduler s(machine_of(4, 1));
  s.pause(0, {true, {}});
  s.add(cpu_timing(1));
  s.add(cpu_shared(2, 1));
  s.add(gpu_timing(3));
  EXPECT_THAT(step_at(s), ElementsAre("start 3 on GPU-0:0,1,2,3"));
  s.finished(3);
  EXPECT_THAT(step_at(s), IsEmpty());
  s.pause(0, {});
  EXPECT_THAT(step_at(s), ElementsAre("start 1 on 0,1,2,3"));
}

TEST(PausedDevices, AnAttemptThatNeedsMoreGpusThanAreLeftHoldsNobodyUp) {
  Scheduler s(machine_of(4, 2));
  s.pause(0, {false, {"GPU-1"}});
  s.add(gpu_timing(1, 2));
  s.add(gpu_timing(2));
  s.add(cpu_shared(3, 1));
  EXPECT_THAT(step_at(s), ElementsAre("start 2 on GPU-0:0,1", "start 3 on 2"));
  EXPECT_EQ(s.queued(), 1U);
  EXPECT_EQ(s.queued(0), 1U);
  EXPECT_TRUE(s.is_queued(1));
  s.finished(2);
  s.finished(3);
  EXPECT_THAT(step_at(s), IsEmpty());
  s.add(gpu_timing(4));
  s.pause(0, {});
  EXPECT_THAT(step_at(s), ElementsAre("start 1 on GPU-0:0,1 | GPU-1:2,3"))
      << "it is before the others again";
}

TEST(PausedDevices, WhatSteppedAsideCanBeCancelled) {
  Scheduler s(machine_of(4, 2));
  s.pause(0, {false, {"GPU-1"}});
  s.add(gpu_timing(1, 2));
  EXPECT_THAT(step_at(s), IsEmpty());
  EXPECT_TRUE(s.cancel(1));
  EXPECT_EQ(s.queued(), 0U);
  s.pause(0, {});
  EXPECT_THAT(step_at(s), IsEmpty());
}

TEST(PausedDevices, AllOfThemLeaveTheQueueAsItIs) {
  Scheduler s(machine_of(4, 2));
  s.pause(0, {true, {"GPU-0", "GPU-1"}});
  for (ItemId id = 1; id <= 3; ++id) s.add(gpu_timing(id));
  s.add(cpu_timing(4));
  EXPECT_THAT(step_at(s), IsEmpty());
  EXPECT_EQ(s.queued(), 4U);
  s.pause(0, {true, {}});
  EXPECT_THAT(step_at(s), ElementsAre("start 1 on GPU-0:0,1", "start 2 on GPU-1:2,3"));
}

TEST(PausedDevices, AreThoseOfOnePool) {
  std::vector<Pool> pools = local_pool(machine_of(4));
  pools.push_back({"far", {}, Cluster{.gpus_per_node = 1, .most_given = 9}});
  Scheduler s(std::move(pools));
  s.pause(0, {true, {"GPU-0"}});
  s.add(in(1, cpu_timing(1)));
  s.add(in(1, gpu_timing(2, 4)));
  s.add(cpu_timing(3));
  EXPECT_EQ(step_at(s).size(), 2U);
  EXPECT_EQ(s.queued(0), 1U);
}

}  // namespace
}  // namespace sweepd
