// Tests that the event loop runs while the database is blocked. Here the test holds its thread.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/post.hpp>
#include <future>

#include "runner/daemon/threads/loop_watch.h"
#include "tests/daemon/dispatcher_story.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using Sent = FakeExecutor::Sent;

class LoopTest : public DispatcherStory {
 protected:
  // Blocks the writer until `go_on`, as a large transaction or another process's write lock would.
  void hold_writer() {
    held_ = std::make_unique<std::promise<void>>();
    writer_->run(
        [until = held_->get_future().share()](Store&) {
          until.wait();
          return true;
        },
        [](bool) {});
  }
  void go_on() { held_->set_value(); }
  void TearDown() override {
    if (held_) {
      try {
        go_on();
      } catch (const std::future_error&) {  // the test has already called it
      }
    }
    DispatcherStory::TearDown();
  }
  // Two memory passes with one core each run side by side.
  std::vector<OpenAttempt> start_two() {
    auto queued = store_sweep({{{"threads", "1"}, {"timeout", "1h"}},
                               {{"threads", "1"}, {"timeout", "1h"}, {"model", "xl"}}});
    for (OpenAttempt& attempt : queued) attempt.pass = Pass::kMemory;
    dispatcher_->enqueue(queued);
    EXPECT_TRUE(until_started(2));
    EXPECT_TRUE(until([&] { return dispatcher_->running().size() == 2; }));
    return queued;
  }

  std::unique_ptr<std::promise<void>> held_;
};

TEST_F(LoopTest, WhatRunsIsStoppedWhileAResultWaitsForTheDatabase) {
  const auto queued = start_two();
  hold_writer();
  write_events(folder_of(queued[1]), 0, {step(0, 2.5), end_event({Done{"fixed_steps"}, 0})});
  executor_.end(0, {std::nullopt, 0});  // of the attempt that was started last
  ASSERT_TRUE(until([&] { return dispatcher_->running().size() == 1; }));
  dispatcher_->stop({queued[0].row});
  ASSERT_TRUE(until([&] { return !executor_.signals.empty(); }));
  EXPECT_EQ(executor_.signals[0], (Sent{0, SIGTERM}));
  EXPECT_EQ(stored(queued[1]), "running") << "its result is not stored yet";
  EXPECT_EQ(dispatcher_->trouble(), "");
  go_on();
  ASSERT_TRUE(until_ended(2));
  EXPECT_EQ(stored(queued[1]), "done");
  EXPECT_EQ(samples(queued[1]), 1);
}

TEST_F(LoopTest, AnAttemptKeepsItsLeaseUntilItsResultIsStored) {
  const auto queued = enqueue({{{"model", "large"}}, {{"model", "xl"}}});
  ASSERT_TRUE(until_started(1));
  hold_writer();
  finish_well(queued[0]);
  ASSERT_TRUE(until([&] { return dispatcher_->running().empty(); }));
  ASSERT_TRUE(until([&] { return dispatcher_->reading() == 0; }));
  EXPECT_EQ(executor_.started.size(), 1U) << "storing it would disturb the next";
  EXPECT_EQ(dispatcher_->queued(), 1U);
  go_on();
  ASSERT_TRUE(until_started(2));
  EXPECT_EQ(stored(queued[0]), "done");
}

TEST_F(LoopTest, WhatIsCancelledWhileItsStartWaitsForTheDatabaseDoesNotStart) {
  const auto queued = store_sweep({{{"model", "large"}}, {{"model", "xl"}}});
  hold_writer();
  std::vector<std::int64_t> ended;
  writer_->run([this](Store& store) { return store.cancel_sweep(sweep_, now_wall()); },
               [&](Result<Store::CancelReceipt> receipt) {
                 ended = receipt->ended;
                 dispatcher_->forget(receipt->ended);
               });
  dispatcher_->enqueue({queued[0]});
  ASSERT_TRUE(until([&] { return writer_->pending() == 3; })) << "it is being marked started";
  go_on();
  settle();
  EXPECT_THAT(ended, ElementsAre(queued[0].row, queued[1].row));
  EXPECT_EQ(stored(queued[0]), "cancelled");
  EXPECT_TRUE(executor_.started.empty());
  const auto later = enqueue({{{"model", "small"}}});
  ASSERT_TRUE(until_started(1)) << "its lease is free again";
  EXPECT_EQ(executor_.started[0].attempt, later[0].id);
}

TEST_F(LoopTest, TheTimeoutDoesNotCountWhatTheDatabaseTook) {
  const auto queued = store_sweep({{{"timeout", "30ms"}}});
  hold_writer();
  dispatcher_->enqueue(queued);
  ASSERT_TRUE(until([&] { return writer_->pending() == 2; }));
  const Instant held = now_instant();
  ASSERT_TRUE(until([&] { return now_instant() > held + milliseconds(200); }));
  go_on();
  ASSERT_TRUE(until_started(1));
  ASSERT_TRUE(until_ended(1)) << "its deadline is kept all the same";
  EXPECT_THAT(executor_.signals, ElementsAre(Sent{0, SIGTERM}, Sent{0, SIGKILL}));
  EXPECT_EQ(stored(queued[0]), "timeout");
}

TEST_F(LoopTest, AQueueOfManyIsTakenInSlicesAndNothingStartsBeforeItsEnd) {
  std::vector<Settings> points;
  for (int context = 1; context <= 3000; ++context) {
    points.push_back({{"context", std::to_string(context)}});
  }
  auto queued = store_sweep(points);
  std::vector<std::int64_t> all_but_one;
  for (std::size_t i = 1; i < queued.size(); ++i) all_but_one.push_back(queued[i].row);
  const OpenAttempt left = queued[0];
  // The attempt that is to run first comes last.
  std::reverse(queued.begin(), queued.end());
  dispatcher_->enqueue(queued);
  dispatcher_->forget(all_but_one);
  ASSERT_TRUE(until_started(1));
  EXPECT_EQ(executor_.started[0].attempt, left.id);
  EXPECT_EQ(dispatcher_->queued(), 0U) << "the rest was forgotten before anything could start";
}

TEST_F(LoopTest, TheLogReachesTheDatabaseFileWhenNothingIsLeftToDo) {
  const auto queued = enqueue({{}});
  ASSERT_TRUE(until_started(1));
  finish_well(queued[0]);
  ASSERT_TRUE(until_ended(1));
  int copies = 0;
  const auto in_the_file_alone = [&] {
    const auto copy = folder_ / ("copy" + std::to_string(++copies) + ".db");
    std::filesystem::copy_file(file(), copy);
    try {
      Connection database(copy, Access::kReadOnly);
      Query query(database, "SELECT outcome FROM attempt");
      return query.next() && query.text(0) == "done";
    } catch (const SQLite::Exception&) {
      return false;
    }
  };
  EXPECT_TRUE(until(in_the_file_alone));
}

TEST(LoopWatch, TellsTheLongestTimeThatTheLoopWasHeldUp) {
  boost::asio::io_context io;
  const auto busy = [](Duration time) {
    return [time] {
      const Instant end = now_instant() + time;
      while (now_instant() < end) {
      }
    };
  };
  boost::asio::post(io, busy(milliseconds(1)));
  boost::asio::post(io, busy(milliseconds(30)));
  boost::asio::post(io, busy(milliseconds(1)));
  LoopWatch watch;
  watch.run(io);
  EXPECT_GE(watch.longest(), milliseconds(30));
}

}  // namespace
}  // namespace sweepd
