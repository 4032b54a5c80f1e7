// Tests how attempts are stopped: timeouts, cancelling, draining.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sched/story.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Timeout, StopsAtTheDeadlineAndKillsAfterTheGracePeriod) {
  Scheduler s(machine_of(2), seconds(2));
  s.add(with_timeout(cpu_timing(1), seconds(10)));
  EXPECT_EQ(s.next_deadline(), std::nullopt);  // a waiting attempt has no deadline
  EXPECT_THAT(step_at(s, at(100)), ElementsAre("start 1 on 0,1"));
  EXPECT_EQ(s.next_deadline(), at(110));
  EXPECT_THAT(step_at(s, at(109)), IsEmpty());
  EXPECT_THAT(step_at(s, at(110)), ElementsAre("stop 1 timeout"));
  EXPECT_EQ(s.next_deadline(), at(112));
  EXPECT_THAT(step_at(s, at(111)), IsEmpty());
  EXPECT_THAT(step_at(s, at(112)), ElementsAre("kill 1 timeout"));
  EXPECT_EQ(s.next_deadline(), std::nullopt);
  EXPECT_THAT(step_at(s, at(999)), IsEmpty());
  EXPECT_EQ(s.running(), 1U);  // its lease is held until its processes have ended
  s.finished(1);
  EXPECT_EQ(s.running(), 0U);
}

TEST(Timeout, GivesTheGracePeriodFromTheStopThoughTheStopCameLate) {
  Scheduler s(machine_of(2), seconds(2));
  s.add(with_timeout(cpu_timing(1), seconds(10)));
  step_at(s, at(0));
  EXPECT_THAT(step_at(s, at(60)), ElementsAre("stop 1 timeout"));
  EXPECT_EQ(s.next_deadline(), at(62));
}

TEST(Timeout, IsForgottenWhenTheAttemptEndsByItself) {
  Scheduler s(machine_of(2));
  s.add(with_timeout(cpu_timing(1), seconds(10)));
  step_at(s, at(0));
  s.finished(1);
  EXPECT_EQ(s.next_deadline(), std::nullopt);
  EXPECT_THAT(step_at(s, at(60)), IsEmpty());
}

TEST(Timeout, OfZeroIsNever) {
  Scheduler s(machine_of(2));
  s.add(cpu_timing(1));
  step_at(s, at(0));
  EXPECT_EQ(s.next_deadline(), std::nullopt);
}

TEST(Timeout, CountsFromTheStartOfAnAdoptedAttempt) {
  Scheduler s(machine_of(2));
  Lease lease;
  lease.ranks.push_back({{0}, "", -1});
  s.adopt(with_timeout(cpu_timing(1), seconds(10)), lease, at(95));
  EXPECT_EQ(s.next_deadline(), at(105));
  EXPECT_THAT(step_at(s, at(200)), ElementsAre("stop 1 timeout"));
}

TEST(Timeout, NextDeadlineIsTheEarliest) {
  Scheduler s(machine_of(4));
  s.add(with_timeout(cpu_shared(1, 1), seconds(30)));
  s.add(with_timeout(cpu_shared(2, 1), seconds(10)));
  s.add(with_timeout(cpu_shared(3, 1), seconds(20)));
  step_at(s, at(0));
  EXPECT_EQ(s.next_deadline(), at(10));
  EXPECT_THAT(step_at(s, at(20)), ElementsAre("stop 2 timeout", "stop 3 timeout"));
}

TEST(Cancel, TakesAWaitingAttemptOutOfTheQueue) {
  Scheduler s(machine_of(2));
  s.add(cpu_timing(1));
  s.add(cpu_timing(2));
  EXPECT_TRUE(s.is_queued(2));
  EXPECT_TRUE(s.cancel(2));
  EXPECT_FALSE(s.is_queued(2));
  EXPECT_FALSE(s.cancel(2));
  EXPECT_THAT(step_at(s), ElementsAre("start 1 on 0,1"));
  EXPECT_FALSE(s.is_queued(1));
  s.finished(1);
  EXPECT_THAT(step_at(s), IsEmpty());
}

TEST(Cancel, StopsARunningAttemptOnce) {
  Scheduler s(machine_of(2), seconds(2));
  s.add(with_timeout(cpu_timing(1), seconds(10)));
  step_at(s, at(0));
  EXPECT_TRUE(s.cancel(1));
  EXPECT_FALSE(s.cancel(1));
  EXPECT_THAT(step_at(s, at(5)), ElementsAre("stop 1 cancel"));
  EXPECT_FALSE(s.cancel(1));
  EXPECT_EQ(s.next_deadline(), at(7));  // no longer its timeout
  EXPECT_THAT(step_at(s, at(7)), ElementsAre("kill 1 cancel"));
  EXPECT_THAT(step_at(s, at(20)), IsEmpty());
}

TEST(Cancel, OfATimedOutAttemptChangesNothing) {
  Scheduler s(machine_of(2), seconds(2));
  s.add(with_timeout(cpu_timing(1), seconds(10)));
  step_at(s, at(0));
  step_at(s, at(10));
  EXPECT_FALSE(s.cancel(1));
  EXPECT_THAT(step_at(s, at(12)), ElementsAre("kill 1 timeout"));
}

TEST(Cancel, AtTheDeadlineStopsOnce) {
  Scheduler s(machine_of(2), seconds(2));
  s.add(with_timeout(cpu_timing(1), seconds(10)));
  step_at(s, at(0));
  EXPECT_TRUE(s.cancel(1));
  EXPECT_THAT(step_at(s, at(10)), ElementsAre("stop 1 cancel"));
}

TEST(Cancel, OfAnAttemptThatEndsMeanwhileIsForgotten) {
  Scheduler s(machine_of(2));
  s.add(cpu_timing(1));
  step_at(s);
  EXPECT_TRUE(s.cancel(1));
  s.finished(1);
  EXPECT_THAT(step_at(s), IsEmpty());
  EXPECT_FALSE(s.cancel(1));
}

TEST(Cancel, OfAnUnknownAttemptIsFalse) {
  Scheduler s(machine_of(2));
  EXPECT_FALSE(s.cancel(42));
  s.finished(42);
  EXPECT_EQ(s.running(), 0U);
}

TEST(Cancel, ComesBeforeARefusal) {
  Scheduler s(machine_of(2));
  s.add(gpu_timing(1));
  EXPECT_TRUE(s.is_queued(1));
  EXPECT_EQ(s.queued(), 1U);
  EXPECT_TRUE(s.cancel(1));
  EXPECT_THAT(step_at(s), IsEmpty());
}

TEST(Drain, StartsNothingMoreAndStillStopsWhatRunsTooLong) {
  Scheduler s(machine_of(2), seconds(2));
  s.add(with_timeout(cpu_timing(1), seconds(10)));
  s.add(cpu_timing(2));
  step_at(s, at(0));
  s.drain();
  EXPECT_THAT(step_at(s, at(10)), ElementsAre("stop 1 timeout"));
  s.finished(1);
  EXPECT_THAT(step_at(s, at(11)), IsEmpty());
  EXPECT_EQ(s.queued(), 1U);
  EXPECT_TRUE(s.is_queued(2));
}

TEST(Step, StopsBeforeItRefusesAndRefusesBeforeItStarts) {
  Scheduler s(machine_of(2), seconds(2));
  s.add(with_timeout(cpu_shared(1, 1), seconds(10)));
  step_at(s, at(0));
  s.add(cpu_shared(2, 1));
  s.add(gpu_timing(3));
  EXPECT_THAT(step_at(s, at(10)),
              ElementsAre("stop 1 timeout", "refuse 3: needs 1 GPU, and this machine has none",
                          "start 2 on 1"));
}

}  // namespace
}  // namespace sweepd
