// Tests the crash limit: a trial that kills its workers is skipped in the end.
#include <gmock/gmock.h>

#include <csignal>

#include "tests/daemon/dispatcher_story.h"

namespace sweepd {
namespace {

using testing::HasSubstr;

class CrashLimitStory : public DispatcherStory {
 protected:
  void start_and_die(std::size_t nth) {
    ASSERT_TRUE(until_started(nth));
    executor_.end(0, {SIGSEGV, std::nullopt});
  }
};

TEST_F(CrashLimitStory, TheThirdDeathEndsWhatWaitsOfTheTrialAndTheRestIsMeasured) {
  const auto queued = enqueue({{{"repeats", "5"}}, {{"context", "64"}, {"priority", "-1"}}});
  ASSERT_EQ(queued.size(), 6U);
  for (std::size_t i = 1; i <= 3; ++i) start_and_die(i);
  ASSERT_TRUE(until_ended(5)) << "three that died, and two that wait";
  std::vector<std::string> outcomes;
  for (const OpenAttempt& attempt : queued) {
    if (attempt.priority == 0) outcomes.push_back(stored(attempt));
  }
  EXPECT_THAT(outcomes,
              testing::ElementsAre("crashed", "crashed", "crashed", "skipped", "skipped"));
  ASSERT_TRUE(until_started(4));
  const auto other = std::ranges::find(queued, -1, &OpenAttempt::priority);
  EXPECT_EQ(executor_.started.back().attempt, other->id);
  finish_well(*other);
  ASSERT_TRUE(until_ended(6));
  EXPECT_EQ(stored(*other), "done");
  settle();
  EXPECT_EQ(dispatcher_->queued(), 0U);
}

TEST_F(CrashLimitStory, AcrossDaemonsToo) {
  const auto queued = enqueue({{{"repeats", "4"}}});
  for (std::size_t death = 1; death <= 3; ++death) {
    start_and_die(1);
    ASSERT_TRUE(until_ended(death));
    settle();
    if (death == 3) break;
    restart();
    ASSERT_TRUE(dispatcher_->recover());
    settle();
  }
  ASSERT_TRUE(until_ended(4));
  EXPECT_EQ(stored(queued[3]), "skipped");
  EXPECT_THAT(detail(queued[3]), HasSubstr("killed its worker 3 times (SIGSEGV"));
  restart();
  ASSERT_TRUE(dispatcher_->recover());
  settle();
  EXPECT_TRUE(executor_.started.empty());
}

}  // namespace
}  // namespace sweepd
