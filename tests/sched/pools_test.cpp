// Tests that each pool is scheduled by itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sched/story.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr PoolIndex kHere = 0, kThere = 1;

class PoolsTest : public testing::Test {
 protected:
  Scheduler s_{{{std::string(kLocalPool), machine_of(2)}, {"big", machine_of(4, 2)}}, seconds(2)};
};

TEST_F(PoolsTest, ATimingHasItsPoolsHostAloneAndNoOther) {
  s_.add(in(kHere, cpu_timing(1)));
  s_.add(in(kHere, cpu_timing(2)));
  s_.add(in(kThere, cpu_timing(3)));
  EXPECT_THAT(step_at(s_), ElementsAre("start 1 on 0,1", "start 3 on 0,1,2,3"));
  EXPECT_EQ(s_.queued(), 1U);
  s_.finished(3);
  EXPECT_THAT(step_at(s_), IsEmpty()) << "the other pool's host is free, this one's is not";
  s_.finished(1);
  EXPECT_THAT(step_at(s_), ElementsAre("start 2 on 0,1"));
}

TEST_F(PoolsTest, AGangThatWaitsHoldsUpItsOwnPoolOnly) {
  s_.add(in(kThere, with_threads(cpu_shared(1), 3)));
  ASSERT_EQ(step_at(s_).size(), 1U);
  s_.add(in(kThere, with_priority(with_ranks(cpu_timing(2), 4), 9)));
  s_.add(in(kThere, with_threads(cpu_shared(3), 1)));
  s_.add(in(kHere, with_threads(cpu_shared(4), 1)));
  EXPECT_THAT(step_at(s_), ElementsAre("start 4 on 0"));
}

TEST_F(PoolsTest, AStartNamesItsPool) {
  s_.add(in(kThere, gpu_timing(1, 2)));
  const auto actions = s_.step({});
  ASSERT_EQ(actions.size(), 1U);
  EXPECT_EQ(std::get<StartAction>(actions[0]).pool, kThere);
}

TEST_F(PoolsTest, ARefusalNamesThePoolThatLacksSomething) {
  s_.add(in(kHere, gpu_timing(1)));
  s_.add(in(kThere, gpu_timing(2, 3)));
  EXPECT_THAT(step_at(s_),
              ElementsAre("refuse 1: needs 1 GPU, and this machine has none",
                          "refuse 2: world_size 3 needs 3 GPUs, and pool `big` has 2"));
}

TEST_F(PoolsTest, WaitingAttemptsAreFoundInEveryPool) {
  s_.add(in(kHere, cpu_timing(1)));
  s_.add(in(kThere, gpu_timing(2)));
  EXPECT_TRUE(s_.is_queued(1));
  EXPECT_TRUE(s_.is_queued(2));
  EXPECT_TRUE(s_.cancel(2));
  EXPECT_FALSE(s_.is_queued(2));
  EXPECT_THAT(step_at(s_), ElementsAre("start 1 on 0,1"));
}

TEST_F(PoolsTest, WhatIsAdoptedHoldsItsOwnPool) {
  Lease lease;
  lease.ranks.push_back({{0, 1, 2, 3}, "", -1});
  s_.adopt(in(kThere, cpu_timing(1)), lease, {});
  s_.add(in(kThere, cpu_timing(2)));
  s_.add(in(kHere, cpu_timing(3)));
  EXPECT_THAT(step_at(s_), ElementsAre("start 3 on 0,1"));
  s_.finished(1);
  EXPECT_THAT(step_at(s_), ElementsAre("start 2 on 0,1,2,3"));
}

}  // namespace
}  // namespace sweepd
