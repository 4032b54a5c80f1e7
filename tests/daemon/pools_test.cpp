// Tests attempts in two pools: this machine, and a cluster that starts them when it likes.
#include "runner/daemon/attempts/pools.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/daemon/dispatcher_story.h"

namespace sweepd {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class PoolsStory : public DispatcherStory {
 protected:
  void SetUp() override {
    far_.queues = true;
    DispatcherStory::SetUp();
    std::filesystem::create_directory(far_runs());
  }
  Pools pools(PoolUse local) override {
    PoolUse far{{"far", {}, Cluster{.gpus_per_node = 0, .most_given = 2}}, &far_, far_runs()};
    std::vector<PoolUse> all{std::move(local)};
    if (has_far_) all.push_back(std::move(far));
    return Pools(std::move(all));
  }
  std::filesystem::path far_runs() const { return folder_ / "shared"; }
  AttemptFolder far_folder(const OpenAttempt& attempt) const {
    return AttemptFolder(far_runs() / attempt.id);
  }
  bool until_far_has(std::size_t n) {
    return until([&] { return far_.started.size() >= n && far_.is_heard(); });
  }
  bool until_heard() {
    return until([&] { return far_.is_heard(); });
  }
  void finish_far(const OpenAttempt& attempt) {
    write_events(far_folder(attempt), 0, {step(0, 2.5), end_event({Done{"fixed_steps"}, 0})});
    far_.end(0, {std::nullopt, 0});
  }
  std::string value(const std::string& statement) const {
    Connection database(file(), Access::kReadOnly);
    Query query(database, statement);
    return query.next() ? query.text(0) : "no row";
  }
  void recover() {
    const auto recovered = dispatcher_->recover();
    ASSERT_TRUE(recovered) << recovered.error().message;
  }

  FakeExecutor far_;
  bool has_far_ = true;
};

const Settings kFar{{"pool", "far"}};

TEST_F(PoolsStory, ATrialInTwoPoolsIsOneTrialWithAnAttemptInEach) {
  const auto queued = enqueue({{{"pool", "local"}}, kFar});
  ASSERT_EQ(queued.size(), 2U);
  EXPECT_EQ(queued[0].trial_key, queued[1].trial_key);
  ASSERT_TRUE(until_started(1));
  ASSERT_TRUE(until_far_has(1));
  EXPECT_EQ(executor_.started[0].attempt, queued[0].id);
  EXPECT_EQ(far_.started[0].attempt, queued[1].id);
  finish_well(queued[0]);
  far_.begin(queued[1].id);
  ASSERT_TRUE(until_heard());
  finish_far(queued[1]);
  ASSERT_TRUE(until_ended(2));
  EXPECT_EQ(stored(queued[0]), "done");
  EXPECT_EQ(stored(queued[1]), "done");
  EXPECT_EQ(value("SELECT count(*) FROM trial"), "1");
  EXPECT_EQ(value("SELECT group_concat(host) FROM (SELECT host FROM attempts WHERE is_current = 1 "
                  "ORDER BY row)"),
            "alpha,far");
}

// The one that waits for hours does not block others.
TEST_F(PoolsStory, PoolsDoNotWaitForEachOther) {
  const auto far = enqueue({kFar});
  ASSERT_TRUE(until_far_has(1));
  const auto here = enqueue({{{"model", "xl"}}});
  ASSERT_TRUE(until_started(1));
  finish_well(here[0]);
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(stored(here[0]), "done");
  EXPECT_EQ(stored(far[0]), "queued");
  EXPECT_EQ(value("SELECT count(*) FROM attempt WHERE given_ns IS NOT NULL"), "1");
}

TEST_F(PoolsStory, GivesNoMoreThanThePoolWants) {
  enqueue({{{"pool", "far"}, {"context", "1"}},
           {{"pool", "far"}, {"context", "2"}},
           {{"pool", "far"}, {"context", "3"}}});
  ASSERT_TRUE(until_far_has(2));
  settle();
  EXPECT_EQ(far_.started.size(), 2U);
  EXPECT_EQ(dispatcher_->given().size(), 2U);
  EXPECT_EQ(dispatcher_->queued(), 3U);
}

// The deadline counts from when it really started, which the executor may learn late.
TEST_F(PoolsStory, ItsTimeRunsFromWhenItStarted) {
  const auto queued = enqueue({{{"pool", "far"}, {"timeout", "10m"}}});
  ASSERT_TRUE(until_far_has(1));
  EXPECT_THAT(dispatcher_->running(), IsEmpty());
  const WallTime long_ago{now_wall().ns - seconds(601).ns};
  far_.begin(queued[0].id, long_ago);
  ASSERT_TRUE(until([&] { return !far_.signals.empty(); }));
  EXPECT_THAT(far_.signals, ElementsAre(FakeExecutor::Sent{0, SIGTERM}));
  settle();
  EXPECT_EQ(value("SELECT started_ns FROM attempt"), std::to_string(long_ago.ns));
}

TEST_F(PoolsStory, WhatWaitsThereIsTakenBackWhenItsSweepIsCancelled) {
  const auto queued = enqueue({kFar});
  ASSERT_TRUE(until_far_has(1));
  const auto cancelled =
      writer_->now([&](Store& store) { return store.cancel_sweep(sweep_, now_wall()); });
  ASSERT_TRUE(cancelled);
  EXPECT_THAT(cancelled->ended, IsEmpty()) << "the cluster has it";
  dispatcher_->stop(cancelled->running);
  ASSERT_TRUE(until_ended(1));
  EXPECT_THAT(far_.taken_back, ElementsAre(queued[0].id));
  EXPECT_EQ(stored(queued[0]), "cancelled");
}

TEST_F(PoolsStory, TheTroubleOfOnePoolIsNotThatOfTheOther) {
  far_.refuse_start = "sbatch: error: invalid partition";
  const auto far = enqueue({kFar});
  ASSERT_TRUE(until([&] { return !dispatcher_->trouble().empty(); }));
  EXPECT_THAT(dispatcher_->trouble(),
              AllOf(HasSubstr("pool `far`"), HasSubstr("invalid partition")));
  const auto here = enqueue({{{"model", "xl"}}});
  ASSERT_TRUE(until_started(1));
  finish_well(here[0]);
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(stored(far[0]), "queued");
  far_.refuse_start.clear();
  ASSERT_TRUE(until_far_has(far_.started.size() + 1));
  far_.begin(far[0].id);
  ASSERT_TRUE(until([&] { return dispatcher_->trouble().empty(); }));
}

// A result that is just being stored is no reason for another pool to stay closed.
TEST_F(PoolsStory, TriesAgainWhileTheOtherPoolStoresAResult) {
  timing_.start_retry = timing_.start_retry_most = milliseconds(50);
  restart();
  const auto here = enqueue({{{"model", "xl"}}});
  ASSERT_TRUE(until_started(1));
  far_.refuse_start = "sbatch: error: invalid partition";
  enqueue({kFar});
  ASSERT_TRUE(until([&] { return !dispatcher_->trouble().empty(); }));
  far_.refuse_start.clear();
  writer_->run(
      [](Store&) {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        return true;
      },
      [](bool) {});
  finish_well(here[0]);
  ASSERT_TRUE(until_ended(1));
  EXPECT_TRUE(until([&] { return dispatcher_->given().size() == 1; }));
}

TEST_F(PoolsStory, WhatCanNeverRunThereIsSkipped) {
  far_.refuse_start = "no node has 9 GPUs";
  far_.refuse_code = ErrorCode::kFailedPrecondition;
  const auto queued = enqueue({kFar});
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(stored(queued[0]), "skipped");
  EXPECT_THAT(detail(queued[0]), HasSubstr("no node has 9 GPUs"));
  EXPECT_EQ(dispatcher_->trouble(), "");
}

TEST_F(PoolsStory, AnUnknownPoolIsSkippedAndNamed) {
  has_far_ = false;
  restart();
  const auto queued = enqueue({kFar});
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(stored(queued[0]), "skipped");
  EXPECT_THAT(detail(queued[0]), HasSubstr("no pool `far` (it has local)"));
}

TEST_F(PoolsStory, IsQueuedAgainThreeTimesWhenItsNodesFail) {
  const auto queued = enqueue({kFar});
  for (int i = 1; i <= 4; ++i) {
    ASSERT_TRUE(until_far_has(static_cast<std::size_t>(i))) << i;
    if (i % 2 == 0) far_.begin(queued[0].id);  // before and after it started
    ASSERT_TRUE(until_heard());
    far_.lose({.attempt = queued[0].id,
               .ending = {Failed{"NODE_FAIL", ""}, 0},
               .again = true,
               .what = "NODE_FAIL on node" + std::to_string(i)});
  }
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(stored(queued[0]), "failed");
  EXPECT_THAT(detail(queued[0]), AllOf(HasSubstr("4 times"), HasSubstr("NODE_FAIL on node4")));
  EXPECT_EQ(value("SELECT group_concat(reason) FROM attempt_loss"),
            "NODE_FAIL on node1,NODE_FAIL on node2,NODE_FAIL on node3");
}

TEST_F(PoolsStory, EndsAsTheClusterSays) {
  const auto queued = enqueue({kFar});
  ASSERT_TRUE(until_far_has(1));
  far_.begin(queued[0].id);
  ASSERT_TRUE(until_heard());
  far_.lose({.attempt = queued[0].id,
             .ending = {Cancelled{"job 17 was cancelled by root"}, 0},
             .again = false});
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(stored(queued[0]), "cancelled");
  EXPECT_THAT(detail(queued[0]), HasSubstr("job 17 was cancelled by root"));
}

// The job ended with the attempt, or a moment after it.
TEST_F(PoolsStory, WhatWasDoneIsDoneWhateverTheClusterSays) {
  const auto queued = enqueue({kFar});
  ASSERT_TRUE(until_far_has(1));
  far_.begin(queued[0].id);
  ASSERT_TRUE(until_heard());
  write_events(far_folder(queued[0]), 0, {step(0, 2.5), end_event({Done{"fixed_steps"}, 0})});
  far_.lose({.attempt = queued[0].id, .ending = {Timeout{seconds(60), ""}, 0}, .again = false});
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(stored(queued[0]), "done");
}

TEST_F(PoolsStory, WhatTheNextOneWouldMeetTooEndsOneAndPausesThePool) {
  for (const bool began : {false, true}) {
    restart();
    far_.started.clear();
    std::vector<Settings> points(3, {{"pool", "far"}, {"model", began ? "large" : "xl"}});
    for (std::size_t i = 0; i < 3; ++i) points[i].emplace_back("context", std::to_string(i + 1));
    const auto queued = enqueue(points);
    ASSERT_TRUE(until_far_has(2));
    if (began) far_.begin(queued[0].id);
    ASSERT_TRUE(until_heard());
    far_.lose({.attempt = queued[0].id, .ending = {Failed{"no module", ""}, 0}, .next_too = true});
    ASSERT_TRUE(until([&] { return stored(queued[0]) == "failed"; }));
    EXPECT_THAT(dispatcher_->trouble(), HasSubstr("pool `far`: attempts cannot start: no module"));
    settle();
    EXPECT_EQ(far_.started.size(), 2U) << "the third one waits";
  }
}

TEST_F(PoolsStory, ARestartFindsWhatWaitsThere) {
  const auto queued = enqueue({kFar});
  ASSERT_TRUE(until_far_has(1));
  far_.found_waiting.insert(queued[0].id);
  restart();
  recover();
  EXPECT_EQ(dispatcher_->given().size(), 1U);
  settle();
  EXPECT_EQ(far_.started.size(), 1U) << "it is not given twice";
  far_.begin(queued[0].id);
  ASSERT_TRUE(until_heard());
  ASSERT_TRUE(until([&] { return dispatcher_->running().size() == 1; }));
  EXPECT_EQ(dispatcher_->running()[0].pool, "far");
  finish_far(queued[0]);
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(stored(queued[0]), "done");
}

// The executor never got it: the daemon died in between.
TEST_F(PoolsStory, ARestartGivesAgainWhatWasNeverGiven) {
  const OpenAttempt attempt = store_sweep({kFar}).at(0);
  Lease lease;
  lease.ranks.resize(1);
  ASSERT_TRUE(
      writer_->now([&](Store& store) { return store.mark_given(attempt.row, now_wall(), lease); }));
  restart();
  recover();
  ASSERT_TRUE(until_far_has(1));
  EXPECT_EQ(far_.started[0].attempt, attempt.id);
}

TEST_F(PoolsStory, ARestartAdoptsWhatStartedMeanwhile) {
  const auto queued = enqueue({{{"pool", "far"}, {"timeout", "10m"}}});
  ASSERT_TRUE(until_far_has(1));
  restart();
  far_.alive = {0};
  far_.found_started = WallTime{now_wall().ns - seconds(601).ns};
  recover();
  ASSERT_TRUE(until([&] { return dispatcher_->running().size() == 1; }));
  ASSERT_TRUE(until([&] { return !far_.signals.empty(); })) << "its deadline is over";
}

// A daemon that ends does not wait for a queue of hours.
TEST_F(PoolsStory, DrainsWithoutWaitingForTheCluster) {
  const auto queued =
      enqueue({{{"pool", "far"}, {"context", "1"}}, {{"pool", "far"}, {"context", "2"}}});
  ASSERT_TRUE(until_far_has(2));
  far_.begin(queued[0].id);
  ASSERT_TRUE(until_heard());
  dispatcher_->drain();
  EXPECT_TRUE(until([&] { return drained_; }));
  EXPECT_THAT(far_.signals, IsEmpty());
  EXPECT_THAT(far_.taken_back, IsEmpty());
}

TEST_F(PoolsStory, NamesTheMachineByWhatTheWorkerFoundThere) {
  const auto queued = enqueue({kFar});
  ASSERT_TRUE(until_far_has(1));
  EXPECT_EQ(far_.started[0].machine.hash, "");
  EXPECT_EQ(far_.started[0].host_cores, 0);
  far_.begin(queued[0].id);
  ASSERT_TRUE(until_heard());
  EnvironmentEvent said;
  said.environment.host = host_named("node3");
  DeviceInfo& device = said.environment.devices.emplace_back();
  device.kind = "cpu";
  device.uuid = "id-of-node3";
  device.name = "Test CPU";
  write_events(far_folder(queued[0]), 0, {said, step(0, 2.5), end_event({Done{"fixed_steps"}, 0})});
  far_.end(0, {std::nullopt, 0});
  ASSERT_TRUE(until_ended(1));
  EXPECT_THAT(value("SELECT machine_facts FROM environment"), HasSubstr("CPU=Test CPU"));
  EXPECT_EQ(value("SELECT h.hostname FROM environment e JOIN host h ON h.id = e.host"), "node3");
  EXPECT_EQ(value("SELECT host FROM attempts"), "far");
  EXPECT_EQ(value("SELECT pool FROM attempts"), "far");
}

// It may be a file system that is not mounted, which a new folder would hide.
TEST_F(PoolsStory, AClustersFolderIsMadeOnlyWhereNothingWasGiven) {
  std::filesystem::remove(far_runs());
  recover();
  EXPECT_TRUE(std::filesystem::exists(far_runs() / "jobs"));
  const auto first = enqueue({kFar});
  ASSERT_TRUE(until([&] { return dispatcher_->given().size() == 1; }));
  restart();
  std::filesystem::remove_all(far_runs());
  far_.found_waiting = {first[0].id};
  recover();
  enqueue({{{"pool", "far"}, {"context", "2"}}});
  ASSERT_TRUE(until([&] { return !dispatcher_->trouble().empty(); }));
  EXPECT_THAT(dispatcher_->trouble(),
              AllOf(HasSubstr("pool `far`"), HasSubstr("cannot create " + far_runs().string())));
  settle();
  EXPECT_FALSE(std::filesystem::exists(far_runs()));
  EXPECT_EQ(dispatcher_->queued(), 2U);
}

}  // namespace
}  // namespace sweepd
