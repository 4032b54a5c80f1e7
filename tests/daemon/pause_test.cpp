// Tests that a held attempt does not start, from any state at its sweep's pause.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/daemon/dispatcher_story.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class PauseTest : public DispatcherStory {
 protected:
  void SetUp() override {
    far_.queues = true;
    DispatcherStory::SetUp();
    std::filesystem::create_directory(folder_ / "shared");
  }
  Pools pools(PoolUse local) override {
    std::vector<PoolUse> all{std::move(local)};
    all.push_back(
        {{"far", {}, Cluster{.gpus_per_node = 0, .most_given = 2}}, &far_, folder_ / "shared"});
    return Pools(std::move(all));
  }
  // As the handlers of the verbs.
  void pause() {
    auto receipt =
        writer_->now([this](Store& store) { return store.pause_sweeps({sweep_}, now_wall()); });
    ASSERT_TRUE(receipt) << receipt.error().message;
    dispatcher_->set_holds(std::move(receipt->holds));
  }
  void resume() {
    auto receipt = writer_->now([this](Store& store) { return store.resume_sweeps({sweep_}); });
    ASSERT_TRUE(receipt) << receipt.error().message;
    dispatcher_->set_holds(std::move(receipt->holds));
  }
  void recover() {
    const auto recovered = dispatcher_->recover();
    ASSERT_TRUE(recovered) << recovered.error().message;
  }

  FakeExecutor far_;
};

TEST_F(PauseTest, WhatRunsGoesOnAndWhatWaitsDoesNotStart) {
  const auto queued = enqueue({{{"model", "large"}}, {{"model", "xl"}}});
  ASSERT_TRUE(until_started(1));
  pause();
  finish_well(queued[0]);
  ASSERT_TRUE(until_ended(1));
  settle();
  EXPECT_EQ(stored(queued[0]), "done");
  EXPECT_EQ(executor_.started.size(), 1U);
  EXPECT_EQ(dispatcher_->queued(), 1U);
  EXPECT_EQ(dispatcher_->held(), 1U);
  resume();
  ASSERT_TRUE(until_started(2));
  EXPECT_EQ(executor_.started[1].attempt, queued[1].id);
  EXPECT_EQ(dispatcher_->held(), 0U);
}

TEST_F(PauseTest, OtherSweepsGoOn) {
  const auto paused = enqueue({{{"model", "large"}}});
  pause();
  const auto other = enqueue({{{"model", "xl"}}});
  ASSERT_TRUE(until_started(1));
  EXPECT_EQ(executor_.started[0].attempt, other[0].id);
  finish_well(other[0]);
  ASSERT_TRUE(until_ended(1));
  settle();
  EXPECT_EQ(executor_.started.size(), 1U);
  EXPECT_EQ(stored(paused[0]), "queued");
}

// The pause comes while the database marks it started.
TEST_F(PauseTest, WhatIsAboutToStartComesBack) {
  const auto queued = enqueue({{}});
  ASSERT_TRUE(until([&] { return writer_->pending() > 0; })) << "it is being marked";
  pause();
  settle();
  EXPECT_THAT(executor_.started, IsEmpty());
  EXPECT_EQ(stored(queued[0]), "queued");
  EXPECT_EQ(dispatcher_->queued(), 1U);
  resume();
  ASSERT_TRUE(until_started(1));
}

TEST_F(PauseTest, OutlastsTheDaemon) {
  const auto queued = enqueue({{{"model", "large"}}, {{"model", "xl"}}});
  pause();
  settle();
  restart();
  recover();
  settle();
  EXPECT_THAT(executor_.started, IsEmpty());
  EXPECT_EQ(dispatcher_->held(), 2U);
  resume();
  ASSERT_TRUE(until_started(1));
  EXPECT_EQ(executor_.started[0].attempt, queued[0].id);
}

// Nothing of it ran, so the next daemon queues it again, and it waits with its sweep.
TEST_F(PauseTest, AnAttemptThatTheNextDaemonQueuesAgainIsHeld) {
  const auto queued = enqueue({{}});
  ASSERT_TRUE(until_started(1));
  pause();
  restart();
  recover();
  settle();
  EXPECT_THAT(executor_.started, IsEmpty());
  EXPECT_EQ(stored(queued[0]), "queued");
  EXPECT_EQ(dispatcher_->held(), 1U);
}

// It was held when the daemon began. Since then its sweep was resumed.
TEST_F(PauseTest, AResumedAttemptIsNotHeldWhenItIsQueuedAgain) {
  const auto queued = enqueue({{{"pool", "far"}}});
  ASSERT_TRUE(until([&] { return far_.started.size() == 1; }));
  far_.begin(queued[0].id);
  ASSERT_TRUE(until([&] { return stored(queued[0]) == "running"; }));
  pause();
  settle();
  dispatcher_.reset();
  far_.alive = {0};
  restart();
  recover();
  resume();
  settle();
  far_.lose({.attempt = queued[0].id, .ending = {Failed{"x", ""}, 0}, .again = true, .what = "x"});
  EXPECT_TRUE(until([&] { return far_.started.size() == 2; }));
}

TEST_F(PauseTest, ACancelledSweepLeavesNothingHeld) {
  enqueue({{{"model", "large"}}, {{"model", "xl"}}});
  pause();
  settle();
  auto cancelled =
      writer_->now([this](Store& store) { return store.cancel_sweep(sweep_, now_wall()); });
  ASSERT_TRUE(cancelled);
  dispatcher_->set_holds(std::move(cancelled->holds));
  dispatcher_->forget(std::move(cancelled->ended));
  settle();
  EXPECT_EQ(dispatcher_->queued(), 0U);
  EXPECT_EQ(dispatcher_->held(), 0U);
}

TEST_F(PauseTest, ARetryOfAPausedSweepWaits) {
  const auto queued = enqueue({{{"model", "large"}}, {{"model", "xl"}}});
  ASSERT_TRUE(until_started(1));
  pause();
  say_and_exit(queued[0], 0, {Failed{"no", "measure"}, 0});
  ASSERT_TRUE(until_ended(1));
  auto retried =
      writer_->now([this](Store& store) { return store.retry_sweep(sweep_, {}, now_wall()); });
  ASSERT_TRUE(retried);
  dispatcher_->enqueue(std::move(retried->queued));
  settle();
  EXPECT_EQ(executor_.started.size(), 1U);
  EXPECT_EQ(dispatcher_->held(), 2U);
}

// No job has it yet, so it comes back and is given again later.
TEST_F(PauseTest, WhatAClusterHasNotGivenToAJobComesBack) {
  const auto queued = enqueue({{{"pool", "far"}}});
  ASSERT_TRUE(until([&] { return far_.started.size() == 1; }));
  settle();
  pause();
  settle();
  EXPECT_THAT(far_.taken_back, ElementsAre(queued[0].id));
  EXPECT_THAT(dispatcher_->given(), IsEmpty());
  EXPECT_EQ(stored(queued[0]), "queued");
  EXPECT_EQ(dispatcher_->trouble(), "");
  EXPECT_THAT(ended_, IsEmpty());
  resume();
  EXPECT_TRUE(until([&] { return far_.started.size() == 2; }));
}

TEST_F(PauseTest, WhatAJobOfTheClusterHasGoesOn) {
  far_.has_jobs = true;
  const auto queued = enqueue({{{"pool", "far"}}});
  ASSERT_TRUE(until([&] { return far_.started.size() == 1; }));
  settle();
  pause();
  settle();
  EXPECT_THAT(far_.taken_back, IsEmpty());
  far_.begin(queued[0].id);
  EXPECT_TRUE(until([&] { return stored(queued[0]) == "running"; }));
}

TEST_F(PauseTest, AMachineOnWhichNothingMayStartRestsAndHasNoTrouble) {
  enqueue({{}});
  pause();
  settle();
  EXPECT_GT(executor_.rests, 0);
  executor_.refuse_start = "no room";
  resume();
  ASSERT_TRUE(until([&] { return !dispatcher_->trouble().empty(); }));
  pause();
  EXPECT_TRUE(until([&] { return dispatcher_->trouble().empty(); }))
      << "nothing wants to start, so nothing is wrong";
}

TEST_F(PauseTest, NothingNewStartsOnAPausedDevice) {
  const auto queued = enqueue({{{"model", "large"}}, {{"model", "xl"}}, {{"pool", "far"}}});
  ASSERT_TRUE(until_started(1));
  dispatcher_->pause_devices({{"cpu", "id-of-alpha", WallTime{7}}});
  finish_well(queued[0]);
  ASSERT_TRUE(until_ended(1));
  settle();
  EXPECT_EQ(executor_.started.size(), 1U);
  EXPECT_EQ(far_.started.size(), 1U) << "a cluster has devices of its own";
  EXPECT_EQ(dispatcher_->held(), 0U);
  dispatcher_->pause_devices({});
  EXPECT_TRUE(until_started(2));
}

TEST_F(PauseTest, WhatIsAboutToStartOnItComesBack) {
  const auto queued = enqueue({{}});
  ASSERT_TRUE(until([&] { return writer_->pending() > 0; })) << "it is being marked";
  dispatcher_->pause_devices({{"cpu", "id-of-alpha", WallTime{7}}});
  settle();
  EXPECT_THAT(executor_.started, IsEmpty());
  EXPECT_EQ(stored(queued[0]), "queued");
  dispatcher_->pause_devices({});
  EXPECT_TRUE(until_started(1));
}

TEST_F(PauseTest, APausedDeviceOutlastsTheDaemon) {
  ASSERT_TRUE(writer_->now([](Store& store) { return store.pause_device(cpu(), WallTime{7}); }));
  restart();
  recover();
  enqueue({{}});
  settle();
  EXPECT_THAT(executor_.started, IsEmpty());
  ASSERT_EQ(dispatcher_->paused_devices().size(), 1U);
  EXPECT_EQ(dispatcher_->paused_devices()[0].since, WallTime{7});
}

}  // namespace
}  // namespace sweepd
