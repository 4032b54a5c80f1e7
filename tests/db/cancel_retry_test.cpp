#include "tests/db/fixture.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(DbTest, CancelEndsTheQueuedAndNamesTheRunning) {
  const auto request = sweep("s", {{{"context", "1"}}, {{"context", "2"}}, {{"context", "3"}}});
  const auto queued = submit(request).queued;
  finish(done(queued[0].row, 1, 1));
  ASSERT_TRUE(store_->mark_started(queued[1].row, WallTime{5}, {}));
  const auto cancelled = store_->cancel_sweep(request.id, WallTime{9});
  ASSERT_TRUE(cancelled) << cancelled.error().message;
  EXPECT_THAT(cancelled->running, ElementsAre(queued[1].row));
  EXPECT_THAT(cancelled->ended, ElementsAre(queued[2].row));
  const auto found = reader_->find_sweep("s");
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->cancelled);
  EXPECT_EQ(found->counts.of(Outcome::kCancelled), 1);
  EXPECT_EQ(found->counts.running, 1);
  EXPECT_EQ(found->counts.of(Outcome::kDone), 1);

  // The running one ends. A late second journal of the cancelled one changes nothing.
  finish(ended(queued[1].row, {Cancelled{"its sweep was cancelled"}, 0}));
  const auto late = store_->finish(done(queued[2].row, 1, 1));
  ASSERT_TRUE(late);
  EXPECT_FALSE(*late);

  const auto again = store_->cancel_sweep(request.id, WallTime{10});
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kFailedPrecondition);
}

TEST_F(DbTest, CancelLeavesWhatAnotherLiveSweepWaitsFor) {
  const auto first = sweep("first", {{{"context", "1"}}, {{"context", "2"}}});
  const auto second = sweep("second", {{{"context", "2"}}, {{"context", "3"}}});
  const auto queued = submit(first).queued;
  submit(second);
  auto cancelled = store_->cancel_sweep(first.id, WallTime{9});
  ASSERT_TRUE(cancelled);
  EXPECT_THAT(cancelled->ended, ElementsAre(queued[0].row));
  // No live sweep waits for it any more, so the second cancel ends it too.
  cancelled = store_->cancel_sweep(second.id, WallTime{10});
  ASSERT_TRUE(cancelled);
  EXPECT_EQ(cancelled->ended.size(), 2u);
  EXPECT_THAT(store_->open_attempts().value(), IsEmpty());
}

TEST_F(DbTest, ASweepWhoseShareFailedLongAgoKeepsNothingAlive) {
  const auto old = sweep("old", {{{"context", "1"}}});
  finish(ended(submit(old).queued.front().row, {Failed{"x", ""}, 0}));
  const auto fresh = sweep("fresh", {{{"context", "1"}}});
  submit(fresh);
  const auto cancelled = store_->cancel_sweep(fresh.id, WallTime{9});
  ASSERT_TRUE(cancelled);
  EXPECT_EQ(cancelled->ended.size(), 1u);
}

TEST_F(DbTest, CancelOfAnUnknownSweepSaysSo) {
  const auto cancelled = store_->cancel_sweep("0123456789abcdef", WallTime{9});
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, ErrorCode::kNotFound);
}

TEST_F(DbTest, RetryQueuesWhatIsNotDoneAndRevivesTheSweep) {
  const auto request =
      sweep("s", {{{"context", "1"}}, {{"context", "2"}, {"priority", "5"}}, {{"context", "3"}}});
  const auto queued = submit(request).queued;
  finish(done(queued[0].row, 1, 1));
  finish(ended(queued[1].row, {Oom{}, 0}));
  ASSERT_TRUE(store_->cancel_sweep(request.id, WallTime{9}));

  const auto retried = store_->retry_sweep(request.id, {}, WallTime{10});
  ASSERT_TRUE(retried) << retried.error().message;
  EXPECT_EQ(retried->trials, 3);
  EXPECT_EQ(retried->attempts_queued, 2);
  ASSERT_EQ(retried->queued.size(), 2u);
  EXPECT_EQ(retried->queued[0].trial_key, request.trials[1].key);
  EXPECT_EQ(retried->queued[0].trial.values, request.trials[1].trial.values);
  EXPECT_EQ(retried->queued[0].priority, 5);
  EXPECT_GT(retried->queued[0].position, queued[2].position);
  const auto found = reader_->find_sweep(request.id);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->cancelled);
  EXPECT_EQ(found->counts.total, 3);  // each point counts once, by its latest attempt
  EXPECT_EQ(found->counts.queued, 2);
  EXPECT_EQ(reader_->attempts_of_trial(request.trials[1].key).value().size(), 2u);

  const auto twice = store_->retry_sweep(request.id, {}, WallTime{11});
  ASSERT_TRUE(twice);
  EXPECT_EQ(twice->attempts_queued + twice->attempts_joined, 0);
}

TEST_F(DbTest, RetryTakesOutcomesAndVerdicts) {
  const auto request = sweep("s", {{{"context", "1"}}, {{"context", "2"}}, {{"context", "3"}}});
  const auto queued = submit(request).queued;
  AttemptRecord suspect = done(queued[0].row, 1, 1);
  suspect.judgement = {Verdict::kSuspect, {"load"}};
  finish(suspect);
  finish(ended(queued[1].row, {Oom{}, 0}));
  finish(ended(queued[2].row, {Timeout{}, 0}));
  const auto retried = store_->retry_sweep(request.id, {"suspect", "timeout"}, WallTime{10});
  ASSERT_TRUE(retried) << retried.error().message;
  ASSERT_EQ(retried->queued.size(), 2u);
  EXPECT_EQ(retried->queued[0].trial_key, request.trials[0].key);
  EXPECT_EQ(retried->queued[1].trial_key, request.trials[2].key);
}

// The process of a cancelled attempt needs time to end; until then its row is open.
TEST_F(DbTest, RetryQueuesWhatIsBeingStoppedToo) {
  const auto request = sweep("s", {{{"context", "1"}}, {{"context", "2"}}});
  const auto queued = submit(request).queued;
  ASSERT_TRUE(store_->mark_started(queued[0].row, WallTime{5}, {}));
  ASSERT_TRUE(store_->cancel_sweep(request.id, WallTime{9}));
  const auto retried = store_->retry_sweep(request.id, {}, WallTime{10});
  ASSERT_TRUE(retried) << retried.error().message;
  ASSERT_EQ(retried->queued.size(), 2u);
  EXPECT_EQ(retried->queued[0].trial_key, request.trials[0].key);
  EXPECT_NE(retried->queued[0].row, queued[0].row);
  finish(ended(queued[0].row, {Cancelled{"cancelled while running"}, 0}));
  finish(done(retried->queued[0].row, 1, 1));
  finish(done(retried->queued[1].row, 1, 1));
  const auto found = reader_->find_sweep(request.id);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->counts.total, 2);
  EXPECT_EQ(found->counts.of(Outcome::kDone), 2) << "it is the new attempt that counts";
}

TEST_F(DbTest, RetryLeavesWhatRunsForAnotherSweepAlone) {
  const auto first = sweep("first", {{{"context", "1"}}});
  const auto second = sweep("second", {{{"context", "1"}}});
  const auto queued = submit(first).queued;
  submit(second);
  ASSERT_TRUE(store_->mark_started(queued[0].row, WallTime{5}, {}));
  // Another sweep waits for it, so the first sweep's cancel does not stop it.
  ASSERT_TRUE(store_->cancel_sweep(first.id, WallTime{9})->running.empty());
  const auto retried = store_->retry_sweep(first.id, {}, WallTime{10});
  ASSERT_TRUE(retried);
  EXPECT_TRUE(retried->queued.empty());
  finish(done(queued[0].row, 1, 1));
  EXPECT_EQ(reader_->find_sweep(first.id)->counts.of(Outcome::kDone), 1);
}

TEST_F(DbTest, ANewSweepDoesNotJoinWhatIsBeingStopped) {
  const auto first = sweep("first", {{{"context", "1"}}});
  const auto stopping = submit(first).queued;
  ASSERT_TRUE(store_->mark_started(stopping[0].row, WallTime{5}, {}));
  ASSERT_TRUE(store_->cancel_sweep(first.id, WallTime{9}));
  const auto second = submit(sweep("second", {{{"context", "1"}}}));
  EXPECT_EQ(second.attempts_joined, 0);
  ASSERT_EQ(second.queued.size(), 1u);
  finish(ended(stopping[0].row, {Cancelled{"cancelled while running"}, 0}));
  finish(done(second.queued[0].row, 1, 1));
  EXPECT_EQ(reader_->find_sweep("second")->counts.of(Outcome::kDone), 1);
}

TEST_F(DbTest, RetryRefusesAnUnknownWord) {
  const auto request = sweep("s", {{{"context", "1"}}});
  submit(request);
  const auto retried = store_->retry_sweep(request.id, {"timeuot"}, WallTime{10});
  ASSERT_FALSE(retried);
  EXPECT_EQ(retried.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(retried.error().message, HasSubstr("did you mean `timeout`?"));
}

}  // namespace
}  // namespace sweepd
