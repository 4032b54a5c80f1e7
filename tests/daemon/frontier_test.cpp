// Tests that points at least as large as one that ran out of memory are skipped.
#include <gmock/gmock.h>

#include "tests/daemon/dispatcher_story.h"

namespace sweepd {
namespace {

using testing::HasSubstr;

class FrontierStory : public DispatcherStory {
 protected:
  void run_out_of_memory(const OpenAttempt& attempt) {
    say_and_exit(attempt, 0, {Oom{1_GiB, 0_GiB, 2_GiB, "forward"}, 0});
  }
};

TEST_F(FrontierStory, WhatLiesBeyondEndsAndTheRestIsMeasured) {
  const auto queued = enqueue({{{"context", "64"}},
                               {{"context", "128"}},
                               {{"context", "256"}},
                               {{"context", "256"}, {"tied", "true"}}});
  ASSERT_TRUE(until_started(1));
  run_out_of_memory(queued[0]);
  ASSERT_TRUE(until_ended(3)) << "it, and the two beyond";
  EXPECT_EQ(stored(queued[0]), "oom");
  EXPECT_EQ(stored(queued[1]), "skipped");
  EXPECT_EQ(stored(queued[2]), "skipped");
  EXPECT_THAT(detail(queued[2]), HasSubstr("ran out of memory (context=64)"));
  ASSERT_TRUE(until_started(2));
  finish_well(queued[3]);
  ASSERT_TRUE(until_ended(4));
  EXPECT_EQ(stored(queued[3]), "done");
  settle();
  EXPECT_EQ(dispatcher_->queued(), 0U);
  EXPECT_TRUE(dispatcher_->running().empty());
}

// A full disk is no reason to stop: the larger points run out of memory themselves.
TEST_F(FrontierStory, IfItCannotBeStoredTheyAreMeasured) {
  const auto queued = enqueue({{{"context", "64"}}, {{"context", "128"}}});
  ASSERT_TRUE(until_started(1));
  Connection(file(), Access::kReadWrite)
      .execute(
          "CREATE TRIGGER no_skip BEFORE UPDATE OF outcome ON attempt WHEN NEW.outcome = 'skipped' "
          "BEGIN SELECT RAISE(ABORT, 'no'); END");
  run_out_of_memory(queued[0]);
  ASSERT_TRUE(until_started(2));
  run_out_of_memory(queued[1]);
  ASSERT_TRUE(until_ended(2));
  EXPECT_EQ(stored(queued[1]), "oom");
}

}  // namespace
}  // namespace sweepd
