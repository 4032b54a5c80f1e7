// Tests when the dispatcher starts the sentinel of a sweep, and that nothing it does stops the
// sweep.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/daemon/dispatcher_story.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct MatmulOfSentinels {
  std::int64_t size = 4096;
  std::string precision = "fp32";
  void visit(auto& field) {
    field("size", size, "rows and columns");
    field("precision", precision, "type", one_of({"fp32", "bf16"}));
  }
};

class SentinelsTest : public DispatcherStory {
 protected:
  static constexpr Duration kSeldom = seconds(3600);
  static constexpr Duration kAlways{1};

  void SetUp() override {
    DispatcherStory::SetUp();
    catalog_ = {{workload_def<ToyParams>("toy"), workload_def<MatmulOfSentinels>("matmul")}};
    begin_again();
  }
  // A new daemon on the same database.
  void begin_again() {
    dispatcher_.reset();
    writer_.reset();
    reopen();
    restart();
  }

  std::vector<OpenAttempt> enqueue_watched(Duration every, std::size_t trials) {
    NewSweep request = sweep("s", {});
    for (std::size_t i = 1; i <= trials; ++i) {
      request.trials.push_back(trial({{"context", std::to_string(i)}}));
    }
    request.sweep.sentinel = every;
    sweep_ = request.id;
    auto queued = writer_->now([&](Store&) { return submit(request).queued; });
    dispatcher_->enqueue(queued);
    return queued;
  }
  // Ends running attempts, one after the other, until nothing more starts. Returns the started
  // workloads, in order: "toy", "matmul".
  std::vector<std::string> run_all() {
    while (next()) finish_last();
    return started();
  }
  bool next() {
    const std::size_t n = ++seen_;
    settle();
    if (executor_.started.size() < n) --seen_;
    return executor_.started.size() >= n && until_started(n);
  }
  void finish_last() {
    OpenAttempt last;
    last.id = executor_.started.back().attempt;
    const std::size_t n = ended_.size() + 1;
    finish_well(last);
    ASSERT_TRUE(until_ended(n));
  }
  void fail_last() {
    OpenAttempt last;
    last.id = executor_.started.back().attempt;
    const std::size_t n = ended_.size() + 1;
    say_and_exit(last, 0, {Failed{"no product", ""}, 0});
    ASSERT_TRUE(until_ended(n));
  }
  std::vector<std::string> started() const {
    std::vector<std::string> all;
    for (const AttemptRequest& request : executor_.started) all.push_back(request.workload);
    return all;
  }
  void cancel() {
    const auto cancelled = [&](Store& store) { return store.cancel_sweep(sweep_, now_wall()); };
    auto receipt = writer_->now(cancelled);
    ASSERT_TRUE(receipt) << receipt.error().message;
    dispatcher_->forget(receipt->ended);
    dispatcher_->stop(receipt->running);
  }
  std::size_t seen_ = 0;
};

TEST_F(SentinelsTest, ItRunsFirstAndLast) {
  enqueue_watched(kSeldom, 3);
  EXPECT_THAT(run_all(), ElementsAre("matmul", "toy", "toy", "toy", "matmul"));
  EXPECT_EQ(dispatcher_->queued(), 0U);
}

TEST_F(SentinelsTest, ItRunsBetweenAttemptsWhenItIsTime) {
  enqueue_watched(kAlways, 2);
  EXPECT_THAT(run_all(), ElementsAre("matmul", "toy", "matmul", "toy", "matmul"));
}

TEST_F(SentinelsTest, ASweepWithoutOneHasNone) {
  enqueue_watched(Duration{0}, 2);
  EXPECT_THAT(run_all(), ElementsAre("toy", "toy"));
}

TEST_F(SentinelsTest, ItWaitsForASweepThatComesBefore) {
  const auto other = enqueue({{{"model", "xl"}}, {{"model", "large"}}});
  enqueue_watched(kSeldom, 1);
  EXPECT_THAT(run_all(), ElementsAre("toy", "toy", "matmul", "toy", "matmul"));
}

TEST_F(SentinelsTest, ItIsBeforeAttemptsOfAnyPriority) {
  enqueue({{{"model", "xl"}, {"priority", "1000"}}});
  NewSweep request = sweep("s", {{{"priority", "1000"}}, {{"context", "5"}}});
  request.sweep.sentinel = kSeldom;
  auto queued = writer_->now([&](Store&) { return submit(request).queued; });
  dispatcher_->enqueue(queued);
  EXPECT_THAT(run_all(), ElementsAre("toy", "matmul", "toy", "toy", "matmul"));
}

// With an interval that is shorter than loading takes, only its real start may count.
TEST_F(SentinelsTest, ItHasNotStartedWhileAWorkerIsLoaded) {
  executor_.loads = true;
  enqueue_watched(kSeldom, 2);
  settle();
  EXPECT_TRUE(executor_.started.empty());
  EXPECT_EQ(dispatcher_->queued(), 3U) << "the sentinel and both attempts";
  executor_.loads = false;
  executor_.prepared();
  EXPECT_THAT(run_all(), ElementsAre("matmul", "toy", "toy", "matmul"));
}

TEST_F(SentinelsTest, OneThatFailsStopsNothing) {
  enqueue_watched(kSeldom, 2);
  ASSERT_TRUE(next());
  fail_last();
  EXPECT_THAT(run_all(), ElementsAre("matmul", "toy", "toy", "matmul"));
}

TEST_F(SentinelsTest, OneThatCannotBeStoredStopsNothing) {
  Connection(file(), Access::kReadWrite)
      .execute(
          "CREATE TRIGGER no_sentinel BEFORE INSERT ON sweep WHEN NEW.workload = 'matmul' "
          "BEGIN SELECT RAISE(ABORT, 'disk is full'); END");
  enqueue_watched(kSeldom, 2);
  EXPECT_THAT(run_all(), ElementsAre("toy", "toy"));
}

TEST_F(SentinelsTest, CancellingTheSweepEndsAQueuedOne) {
  enqueue({{{"model", "xl"}}});
  ASSERT_TRUE(next());
  enqueue_watched(kSeldom, 2);
  finish_last();
  ASSERT_TRUE(next());
  ASSERT_THAT(started(), ElementsAre("toy", "matmul"));
  cancel();
  ASSERT_TRUE(until([&] { return !executor_.signals.empty(); })) << "the running one is stopped";
  executor_.end(0, {SIGTERM, std::nullopt});
  ASSERT_TRUE(until_ended(2));
  EXPECT_FALSE(next()) << "and none follows";
  EXPECT_EQ(dispatcher_->queued(), 0U);
}

TEST_F(SentinelsTest, AfterACancelNoLastOneRuns) {
  enqueue_watched(kSeldom, 3);
  ASSERT_TRUE(next());
  finish_last();
  ASSERT_TRUE(next());
  cancel();
  ASSERT_TRUE(until([&] { return !executor_.signals.empty(); }));
  executor_.end(0, {SIGTERM, std::nullopt});
  ASSERT_TRUE(until_ended(2));
  EXPECT_FALSE(next());
}

TEST_F(SentinelsTest, ARestartGoesOnWithThem) {
  enqueue_watched(kSeldom, 2);
  ASSERT_TRUE(next());
  finish_last();
  ASSERT_TRUE(next());
  finish_last();
  ASSERT_THAT(started(), ElementsAre("matmul", "toy"));
  begin_again();
  seen_ = 0;
  ASSERT_TRUE(dispatcher_->recover());
  EXPECT_THAT(run_all(), ElementsAre("matmul", "toy", "matmul"));
}

TEST_F(SentinelsTest, ARestartQueuesTheLastOneThatIsOwed) {
  enqueue_watched(kSeldom, 1);
  ASSERT_TRUE(next());
  finish_last();
  ASSERT_TRUE(next());
  // The daemon dies as soon as the last attempt is stored.
  Connection(file(), Access::kReadWrite)
      .execute(
          "CREATE TRIGGER no_sentinel BEFORE INSERT ON attempt "
          "BEGIN SELECT RAISE(ABORT, 'dead'); END");
  finish_last();
  settle();
  ASSERT_THAT(started(), ElementsAre("matmul", "toy"));
  begin_again();
  Connection(file(), Access::kReadWrite).execute("DROP TRIGGER no_sentinel");
  seen_ = 0;
  ASSERT_TRUE(dispatcher_->recover());
  EXPECT_THAT(run_all(), ElementsAre("matmul"));
}

}  // namespace
}  // namespace sweepd
