// Tests the attempts that are given to a pool whose cores and GPUs a cluster's manager assigns.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sched/story.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr PoolIndex kMachine = 0, kGpus = 1, kCpus = 2;

std::vector<ItemId> started(const std::vector<Action>& actions) {
  std::vector<ItemId> ids;
  for (const Action& action : actions) {
    if (const auto* start = std::get_if<StartAction>(&action)) ids.push_back(start->item);
  }
  return ids;
}

class ClusterTest : public testing::Test {
 protected:
  Scheduler s_{{{std::string(kLocalPool), machine_of(2)},
                {"h200", {}, Cluster{.gpus_per_node = 2, .most_given = 2}},
                {"cpu", {}, Cluster{.gpus_per_node = 0, .most_given = 1}}},
               seconds(2)};
};

TEST_F(ClusterTest, GetsTheFirstOfTheQueueAndNoMoreThanItWants) {
  for (const ItemId id : {1, 2, 3}) s_.add(in(kGpus, gpu_timing(id, 16)));
  s_.add(in(kGpus, with_priority(gpu_timing(4), 9)));
  EXPECT_THAT(started(s_.step({})), ElementsAre(4, 1));
  EXPECT_EQ(s_.queued(kGpus), 2U);
  s_.finished(1);
  EXPECT_THAT(started(s_.step({})), ElementsAre(2));
}

// Here a timing has its host alone. There the cluster's manager is responsible.
TEST_F(ClusterTest, TimingsOnTheCpuDoNotWaitForEachOther) {
  s_.add(in(kGpus, cpu_timing(1)));
  s_.add(in(kGpus, gpu_timing(2)));
  s_.add(in(kCpus, cpu_timing(3)));
  s_.add(in(kMachine, cpu_timing(4)));
  EXPECT_THAT(started(s_.step({})), ElementsAre(4, 1, 2, 3));
}

TEST_F(ClusterTest, ALeaseHasAnEntryForEachRank) {
  s_.add(in(kGpus, gpu_timing(1, 4)));
  const auto actions = s_.step({});
  ASSERT_EQ(actions.size(), 1U);
  const auto& ranks = std::get<StartAction>(actions[0]).lease.ranks;
  ASSERT_EQ(ranks.size(), 4U);
  std::vector<int> places;
  for (const RankLease& rank : ranks) {
    EXPECT_THAT(rank.cores, IsEmpty());
    EXPECT_EQ(rank.gpu_uuid, "");
    places.push_back(rank.gpu_index);
  }
  EXPECT_THAT(places, ElementsAre(0, 1, 0, 1)) << "two GPUs a node";
}

TEST_F(ClusterTest, RefusesGpusWhereThereAreNone) {
  s_.add(in(kCpus, gpu_timing(1)));
  EXPECT_THAT(step_at(s_), ElementsAre("refuse 1: device cuda needs a GPU for each rank, and pool "
                                       "`cpu` has none: its `gpus_per_node` is 0"));
}

// It may wait for hours, and its time runs from when it starts.
TEST_F(ClusterTest, HasNoDeadlineUntilItHasStarted) {
  const Item item = in(kGpus, with_timeout(gpu_timing(1), seconds(10)));
  s_.add(item);
  const auto actions = s_.step({});
  ASSERT_EQ(actions.size(), 1U);
  EXPECT_FALSE(s_.next_deadline());
  EXPECT_THAT(step_at(s_, Instant{} + seconds(3600)), IsEmpty());
  s_.finished(1);
  s_.adopt(item, std::get<StartAction>(actions[0]).lease, Instant{} + seconds(3600));
  EXPECT_THAT(step_at(s_, Instant{} + seconds(3609)), IsEmpty());
  EXPECT_THAT(step_at(s_, Instant{} + seconds(3611)), ElementsAre("stop 1 timeout"));
}

TEST_F(ClusterTest, WhatWasGivenByAnotherDaemonTakesAPlace) {
  Lease lease;
  lease.ranks.resize(1);
  s_.adopt(in(kCpus, with_timeout(cpu_timing(1), seconds(10))), lease, std::nullopt);
  s_.add(in(kCpus, cpu_timing(2)));
  EXPECT_THAT(step_at(s_, Instant{} + seconds(3600)), IsEmpty());
  s_.finished(1);
  EXPECT_THAT(started(s_.step({})), ElementsAre(2));
}

TEST_F(ClusterTest, WhatWaitsThereCanBeCancelled) {
  s_.add(in(kCpus, cpu_timing(1)));
  ASSERT_EQ(s_.step({}).size(), 1U);
  EXPECT_TRUE(s_.cancel(1));
  EXPECT_THAT(step_at(s_), ElementsAre("stop 1 cancel"));
}

}  // namespace
}  // namespace sweepd
