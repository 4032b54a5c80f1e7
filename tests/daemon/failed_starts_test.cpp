// A start that fails because of the machine ends no attempt: all wait, and the reason is shown.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/daemon/dispatcher_story.h"

namespace sweepd {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class FailedStartsTest : public DispatcherStory {
 protected:
  bool until_trouble() {
    return until([&] { return !dispatcher_->trouble().empty(); });
  }
  // The database learns of it a moment later.
  bool until_both_are(const std::vector<OpenAttempt>& attempts, const std::string& states) {
    return until([&] { return stored(attempts[0]) + " " + stored(attempts[1]) == states; });
  }
  bool until_runs(const OpenAttempt& attempt) {
    return until([&] {
      const auto running = dispatcher_->running();
      return running.size() == 1 && running[0].id == attempt.id;
    });
  }
};

TEST_F(FailedStartsTest, NothingEndsWhileTheWorkerIsAbsentAndAllGoesOnAfterwards) {
  const auto queued = enqueue({{{"model", "large"}}, {{"model", "xl"}}});
  executor_.refuse_start = "cannot execute sweep-worker: No such file or directory";
  ASSERT_TRUE(until_started(4)) << "it is tried again";
  EXPECT_EQ(dispatcher_->trouble(), "attempts cannot start: " + executor_.refuse_start);
  EXPECT_TRUE(until_both_are(queued, "queued queued"));
  EXPECT_EQ(dispatcher_->queued(), 2U);
  EXPECT_FALSE(std::filesystem::exists(folder_of(queued[0]).path())) << "as if it never started";
  for (const AttemptRequest& request : executor_.started) {
    EXPECT_EQ(request.attempt, queued[0].id) << "it keeps its place";
  }
  executor_.refuse_start.clear();
  ASSERT_TRUE(until_runs(queued[0]));
  EXPECT_EQ(dispatcher_->trouble(), "");
  finish_well(queued[0]);
  ASSERT_TRUE(until_runs(queued[1]));
  finish_well(queued[1]);
  ASSERT_TRUE(until_ended(2));
  EXPECT_TRUE(until_both_are(queued, "done done"));
}

// As on a network file system: every access to the folder fails.
TEST_F(FailedStartsTest, AFolderThatCannotBeSeenAnyMoreEndsNoDaemon) {
  const auto queued = enqueue({{{"model", "large"}}});
  ASSERT_TRUE(until_runs(queued[0]));
  const auto folder = folder_of(queued[0]).path();
  std::filesystem::remove_all(folder);
  std::filesystem::create_symlink(folder.filename(), folder);
  executor_.end(0, {std::nullopt, kExitNotLoaded});
  ASSERT_TRUE(until_trouble());
  ASSERT_TRUE(until_started(2)) << "it is tried again";
}

// Its sweep is cancelled when the database has its start, and the executor refuses it.
TEST_F(FailedStartsTest, WhatIsCancelledMeanwhileIsNotQueuedAgain) {
  executor_.refuse_start = "no room";
  const auto queued = enqueue({{{"model", "large"}}});
  ASSERT_TRUE(until([&] { return stored(queued[0]) == "running"; }));
  dispatcher_->stop({queued[0].row});
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(stored(queued[0]), "cancelled");
}

TEST_F(FailedStartsTest, WhatIsCancelledWhileItsJournalIsReadIsNotQueuedAgain) {
  const auto queued = enqueue({{{"model", "large"}}});
  ASSERT_TRUE(until_runs(queued[0]));
  executor_.end(0, {std::nullopt, kExitNotLoaded});
  ASSERT_TRUE(until([&] { return dispatcher_->running().empty(); }));
  dispatcher_->stop({queued[0].row});
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(stored(queued[0]), "cancelled");
}

TEST(Backoff, DoublesUpToTheMostAndBeginsAnewAfterASuccess) {
  Backoff backoff(milliseconds(500), seconds(3));
  std::vector<Duration> pauses;
  for (int i = 0; i < 5; ++i) pauses.push_back(backoff.next());
  EXPECT_THAT(pauses, testing::ElementsAre(milliseconds(500), seconds(1), seconds(2), seconds(3),
                                           seconds(3)));
  backoff.reset();
  EXPECT_EQ(backoff.next(), milliseconds(500));
}

TEST_F(FailedStartsTest, AFolderThatCannotBeMadeIsTheMachinesToo) {
  std::filesystem::remove_all(folder_ / "runs");
  write_text(folder_ / "runs", "in its place");
  const auto queued = enqueue({{{"model", "large"}}});
  ASSERT_TRUE(until_trouble());
  EXPECT_THAT(dispatcher_->trouble(), HasSubstr("Not a directory"));
  EXPECT_TRUE(until([&] { return stored(queued[0]) == "queued"; }));
  std::filesystem::remove(folder_ / "runs");
  std::filesystem::create_directory(folder_ / "runs");
  ASSERT_TRUE(until_started(1));
  EXPECT_EQ(dispatcher_->trouble(), "");
}

TEST_F(FailedStartsTest, AStartThatCannotBeRecordedIsTroubleToo) {
  Connection(file(), Access::kReadWrite)
      .execute(
          "CREATE TRIGGER no_start BEFORE UPDATE OF started_ns ON attempt "
          "BEGIN SELECT RAISE(ABORT, 'disk is full'); END");
  const auto queued = enqueue({{{"model", "large"}}});
  ASSERT_TRUE(until_trouble());
  EXPECT_THAT(dispatcher_->trouble(), HasSubstr("disk is full"));
  EXPECT_TRUE(executor_.started.empty());
  Connection(file(), Access::kReadWrite).execute("DROP TRIGGER no_start");
  ASSERT_TRUE(until_started(1));
  EXPECT_EQ(dispatcher_->trouble(), "");
}

TEST_F(FailedStartsTest, AWorkerWhoseLibrariesAreMissingBurnsNothing) {
  const auto queued = enqueue({{{"model", "large"}}, {{"model", "xl"}}});
  ASSERT_TRUE(until_started(1));
  write_text(folder_of(queued[0]).log(0), "libtorch.so: cannot open shared object file\n");
  executor_.end(0, {std::nullopt, kExitNotLoaded});
  ASSERT_TRUE(until_trouble());
  EXPECT_THAT(dispatcher_->trouble(), HasSubstr("libtorch.so: cannot open shared object file"));
  // It is tried again after 5 ms, so the queue cannot be checked reliably.
  ASSERT_TRUE(until_started(2));
  EXPECT_TRUE(ended_.empty());
  finish_well(queued[0]);
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(stored(queued[0]), "done");
}

// A program of the workload `command` may end like this; the worker's own journal distinguishes
// them.
TEST_F(FailedStartsTest, TheSameExitCodeOfAWorkerThatBeganIsItsEnd) {
  const auto queued = enqueue({{{"model", "large"}}});
  ASSERT_TRUE(until_started(1));
  write_events(folder_of(queued[0]), 0, {step(0, 2.5)});
  executor_.end(0, {std::nullopt, kExitNotLoaded});
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(stored(queued[0]), "crashed");
}

TEST_F(FailedStartsTest, AJournalThatCannotBeWrittenIsTriedAgainButNotForEver) {
  const auto queued = enqueue({{{"model", "large"}}, {{"model", "xl"}}});
  for (std::size_t tries = 1; tries < 5; ++tries) {
    ASSERT_TRUE(until_started(tries));
    EXPECT_EQ(executor_.started.back().attempt, queued[0].id);
    write_text(folder_of(queued[0]).log(0), "events.0.ndjson: No space left on device\n");
    executor_.end(0, {std::nullopt, kExitJournal});
    ASSERT_TRUE(until_trouble());
    EXPECT_THAT(dispatcher_->trouble(), HasSubstr("No space left on device"));
    // Calls the writer without running the loop, which would start the attempt again.
    writer_->now([](Store&) { return true; });
    EXPECT_EQ(stored(queued[0]) + " " + stored(queued[1]), "queued queued");
  }
  ASSERT_TRUE(until_started(5));
  executor_.end(0, {std::nullopt, kExitJournal});
  ASSERT_TRUE(until_started(6)) << "the others get their turn";
  EXPECT_TRUE(until_both_are(queued, "failed running"));
}

TEST_F(FailedStartsTest, AGangThatIsTooLargeForTheMachineEndsInTheEnd) {
  const auto queued = enqueue({{{"model", "large"}, {"world_size", "4"}}, {{"model", "xl"}}});
  executor_.refuse_start = "rank 3: fork: Resource temporarily unavailable";
  executor_.refuse_code = ErrorCode::kResourceExhausted;
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(std::count_if(executor_.started.begin(), executor_.started.end(),
                          [&](const auto& request) { return request.attempt == queued[0].id; }),
            5);
  EXPECT_TRUE(until_both_are(queued, "failed queued"));
  EXPECT_THAT(detail(queued[0]), StartsWith("rank 3: fork"));
}

// The disk of the database was full too, so the attempt is still stored as running.
TEST_F(FailedStartsTest, WhatIsBackInTheQueueCanBeCancelledAllTheSame) {
  const auto queued = enqueue({{{"model", "large"}}});
  executor_.refuse_start = "no";
  ASSERT_TRUE(until_trouble());
  const auto start_and_cancel = [&](Store& store) {
    EXPECT_TRUE(store.mark_started(queued[0].row, now_wall(), {}));
    return store.cancel_sweep(sweep_, now_wall());
  };
  const auto receipt = writer_->now(start_and_cancel);
  ASSERT_TRUE(receipt);
  ASSERT_EQ(receipt->running.size(), 1U);
  dispatcher_->stop(receipt->running);
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(stored(queued[0]), "cancelled");
  EXPECT_EQ(dispatcher_->queued(), 0U);
  ASSERT_TRUE(until([&] { return dispatcher_->trouble().empty(); })) << "nothing is left to start";
}

TEST_F(FailedStartsTest, DrainingDoesNotWaitForTheMachine) {
  enqueue({{{"model", "large"}}});
  executor_.refuse_start = "no";
  ASSERT_TRUE(until_trouble());
  dispatcher_->drain();
  EXPECT_TRUE(until([&] { return drained_; }));
}

}  // namespace
}  // namespace sweepd
