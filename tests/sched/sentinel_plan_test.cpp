// Tests when the sentinel of a sweep runs, with a clock of whole seconds.
#include "runner/sched/sentinel_plan.h"

#include <gtest/gtest.h>

#include "tests/sched/story.h"

namespace sweepd {
namespace {

using Next = SentinelPlan::Next;

constexpr Watched kSweep{7, DeviceKind::kCpu};
constexpr Duration kEvery = seconds(300);

// A sweep of three attempts: 1, 2, 3.
class SentinelPlanTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const ItemId attempt : {1, 2, 3}) plan_.opened(kSweep, kEvery, attempt);
  }
  Next before(std::int64_t second) { return plan_.before_start(kSweep, at(second)); }
  // The first sentinel has run, and the first attempt has started at second 10.
  void begin() {
    EXPECT_EQ(before(0), Next::kSentinel);
    plan_.settled(kSweep, at(10));
    EXPECT_EQ(before(10), Next::kStart);
  }
  SentinelPlan plan_;
};

TEST_F(SentinelPlanTest, ItRunsBeforeTheFirstAttempt) {
  EXPECT_EQ(before(5), Next::kSentinel);
  EXPECT_EQ(before(6), Next::kWait) << "it is queued once";
  EXPECT_EQ(before(900), Next::kWait);
  plan_.settled(kSweep, at(901));
  EXPECT_EQ(before(901), Next::kStart);
}

TEST_F(SentinelPlanTest, ItRunsAgainWhenTheIntervalHasPassedSinceItStarted) {
  begin();
  EXPECT_FALSE(plan_.ended(kSweep, 1));
  EXPECT_EQ(before(309), Next::kStart);
  EXPECT_EQ(before(310), Next::kSentinel);
  plan_.settled(kSweep, at(311));
  EXPECT_EQ(before(610), Next::kStart);
  EXPECT_EQ(before(611), Next::kSentinel);
}

// Otherwise a sentinel that takes longer than the interval would run for ever.
TEST_F(SentinelPlanTest, OneAttemptStartsBetweenTwo) {
  EXPECT_EQ(before(0), Next::kSentinel);
  plan_.settled(kSweep, at(10));
  EXPECT_EQ(before(900), Next::kStart);
  EXPECT_EQ(before(901), Next::kSentinel);
}

TEST_F(SentinelPlanTest, ItRunsOnceAfterTheLastAttempt) {
  begin();
  EXPECT_FALSE(plan_.ended(kSweep, 2));
  EXPECT_FALSE(plan_.ended(kSweep, 1));
  EXPECT_FALSE(plan_.ended(kSweep, 1)) << "told twice";
  EXPECT_TRUE(plan_.ended(kSweep, 3));
  plan_.queued(kSweep, kEvery);
  plan_.settled(kSweep, at(12));
  EXPECT_TRUE(plan_.empty());
  EXPECT_FALSE(plan_.ended(kSweep, 3));
}

TEST_F(SentinelPlanTest, ItDoesNotRunAfterASweepOfWhichNothingRan) {
  for (const ItemId attempt : {1, 2, 3}) EXPECT_FALSE(plan_.ended(kSweep, attempt));
  EXPECT_TRUE(plan_.empty());
}

// All that waited was cancelled while the sentinel was in the queue.
TEST_F(SentinelPlanTest, AQueuedOneIsNotQueuedAgainAtTheEnd) {
  begin();
  EXPECT_EQ(before(400), Next::kSentinel);
  for (const ItemId attempt : {1, 2, 3}) EXPECT_FALSE(plan_.ended(kSweep, attempt));
  plan_.settled(kSweep, at(401));
  EXPECT_TRUE(plan_.empty());
}

TEST_F(SentinelPlanTest, ItsEndIsNoStart) {
  begin();
  plan_.settled(kSweep, at(200));  // the sentinel that started at 10 ended
  EXPECT_EQ(before(310), Next::kSentinel);
}

TEST_F(SentinelPlanTest, EverySweepAndDeviceHasItsOwn) {
  begin();
  const Watched gpu{7, DeviceKind::kCuda}, other{8, DeviceKind::kCpu};
  plan_.opened(gpu, kEvery, 4);
  plan_.opened(other, seconds(5), 5);
  EXPECT_EQ(plan_.before_start(gpu, at(11)), Next::kSentinel);
  EXPECT_EQ(plan_.before_start(other, at(11)), Next::kSentinel);
  EXPECT_EQ(before(11), Next::kStart);
}

TEST_F(SentinelPlanTest, AfterACancelNothingWaitsForIt) {
  EXPECT_EQ(before(0), Next::kSentinel);
  plan_.forget(kSweep);
  EXPECT_EQ(before(1), Next::kStart);
  EXPECT_EQ(before(1'000), Next::kStart);
}

// A restart: the sentinel was queued by the previous daemon.
TEST_F(SentinelPlanTest, AttemptsWaitForOneThatWasQueuedBefore) {
  plan_.queued(kSweep, kEvery);
  EXPECT_EQ(before(0), Next::kWait);
  plan_.settled(kSweep, at(1));
  EXPECT_EQ(before(1), Next::kStart);
}

}  // namespace
}  // namespace sweepd
