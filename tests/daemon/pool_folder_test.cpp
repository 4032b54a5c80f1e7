// Tests that the daemon works while a cluster's shared folder does not answer.
#include "runner/daemon/threads/pool_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "tests/daemon/dispatcher_story.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const Settings kShared{{"pool", "shared"}};

class PoolFolderStory : public DispatcherStory {
 protected:
  void SetUp() override {
    cluster_.queues = true;
    DispatcherStory::SetUp();
    std::filesystem::create_directory(runs());
  }
  void TearDown() override {
    answer();
    DispatcherStory::TearDown();
  }
  Pools pools(PoolUse local) override {
    return Pools(
        {std::move(local),
         PoolUse{{"shared", {}, Cluster{.gpus_per_node = 0, .most_given = 2}}, &cluster_, runs()}});
  }
  std::filesystem::path runs() const { return folder_ / "shared"; }

  void hang() {
    server_ = std::promise<void>();
    is_away_ = true;
    dispatcher_->folder_of(1).run([answers = server_.get_future().share()] { answers.wait(); });
  }
  void answer() {
    if (std::exchange(is_away_, false)) server_.set_value();
  }
  // Until the attempt is marked and its folder was requested.
  OpenAttempt give() {
    const auto queued = enqueue({kShared});
    EXPECT_TRUE(until([&] { return dispatcher_->given().size() == 1 && writer_->pending() == 0; }));
    return queued[0];
  }
  void cancel() {
    const auto cancelled =
        writer_->now([&](Store& store) { return store.cancel_sweep(sweep_, now_wall()); });
    ASSERT_TRUE(cancelled);
    dispatcher_->stop(cancelled->running);
  }
  std::vector<AttemptId> begun() const {
    std::vector<AttemptId> ids;
    for (const AttemptRequest& request : cluster_.started) ids.push_back(request.attempt);
    return ids;
  }

  FakeExecutor cluster_;
  std::promise<void> server_;
  bool is_away_ = false;
};

TEST_F(PoolFolderStory, HoldsNobodyUpAndLosesNothing) {
  hang();
  const OpenAttempt there = give();
  const auto here = enqueue({{{"model", "xl"}}});
  ASSERT_TRUE(until_started(1));
  finish_well(here[0]);
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(stored(here[0]), "done");
  EXPECT_THAT(begun(), IsEmpty());
  EXPECT_EQ(stored(there), "queued");
  answer();
  ASSERT_TRUE(until([&] { return !begun().empty(); }));
  settle();
  EXPECT_THAT(begun(), ElementsAre(there.id));
  EXPECT_TRUE(std::filesystem::exists(AttemptFolder(runs() / there.id).request()));
}

TEST_F(PoolFolderStory, WhatIsCancelledMeanwhileEndsAtOnceAndLeavesNoFolder) {
  hang();
  const OpenAttempt attempt = give();
  cancel();
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(stored(attempt), "cancelled");
  answer();
  settle();
  EXPECT_THAT(begun(), IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(runs() / attempt.id));
}

TEST_F(PoolFolderStory, WhatIsPausedMeanwhileComesBackAndBeginsOnce) {
  hang();
  const OpenAttempt attempt = give();
  dispatcher_->set_holds({{attempt.row}, {}});
  ASSERT_TRUE(until([&] { return dispatcher_->held() == 1; }));
  EXPECT_THAT(dispatcher_->given(), IsEmpty());
  dispatcher_->set_holds({{}, {attempt.row}});
  ASSERT_TRUE(until([&] { return dispatcher_->given().size() == 1 && writer_->pending() == 0; }));
  answer();
  ASSERT_TRUE(until([&] { return !begun().empty(); }));
  settle();
  EXPECT_THAT(begun(), ElementsAre(attempt.id));
  EXPECT_TRUE(std::filesystem::exists(AttemptFolder(runs() / attempt.id).request()));
}

TEST_F(PoolFolderStory, ADaemonEndsWithoutIt) {
  hang();
  give();
  dispatcher_->drain();
  EXPECT_TRUE(until([&] { return drained_; }));
  answer();
}

// The executor reports an end before the loop has adopted the attempt.
TEST_F(PoolFolderStory, WhatEndsWhileItIsAdoptedIsStored) {
  const OpenAttempt attempt = give();
  ASSERT_TRUE(until([&] { return cluster_.started.size() == 1; }));
  cluster_.begin(attempt.id);
  ASSERT_TRUE(until([&] { return dispatcher_->running().size() == 1; }));
  settle();
  restart();
  cluster_.alive = {0};
  const auto recovered = dispatcher_->recover();
  ASSERT_TRUE(recovered) << recovered.error().message;
  write_events(AttemptFolder(runs() / attempt.id), 0, {step(0, 2.5), end_event({Done{"x"}, 0})});
  cluster_.end(0, {std::nullopt, 0});
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(stored(attempt), "done");
}

}  // namespace
}  // namespace sweepd
