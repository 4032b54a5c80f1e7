// Tests how a new daemon handles the attempts that the last one left open.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/daemon/dispatcher_story.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Sent = FakeExecutor::Sent;

class RecoverTest : public DispatcherStory {
 protected:
  // Leaves the state of a daemon that died just after it had marked the attempt.
  OpenAttempt started(const Settings& settings, std::size_t world_size = 1,
                      Duration ago = Duration{0}) {
    OpenAttempt attempt = store_sweep({settings}).at(0);
    Lease lease;
    for (std::size_t rank = 0; rank < world_size; ++rank) {
      lease.ranks.push_back({{static_cast<int>(rank)}, "", -1});
    }
    const WallTime then{now_wall().ns - ago.ns};
    EXPECT_TRUE(
        writer_->now([&](Store& store) { return store.mark_started(attempt.row, then, lease); }));
    return attempt;
  }
  void write_pid(const OpenAttempt& attempt, int rank) const {
    write_text(folder_of(attempt).pid(rank), "taken\n");
  }
  void recover() {
    const auto recovered = dispatcher_->recover();
    ASSERT_TRUE(recovered) << recovered.error().message;
  }
};

const Ending kWentWell{Done{"fixed_steps"}, 0};

TEST_F(RecoverTest, WhatWaitedWaitsAgain) {
  const auto queued = store_sweep({{{"model", "large"}}, {{"model", "xl"}}});
  recover();
  ASSERT_TRUE(until_started(1));
  EXPECT_EQ(executor_.started[0].attempt, queued[0].id);
  EXPECT_EQ(dispatcher_->queued(), 1U);
}

TEST_F(RecoverTest, MarkedButNeverStartedGoesBackToTheQueue) {
  const OpenAttempt attempt = started({});
  recover();
  EXPECT_EQ(stored(attempt), "queued");
  ASSERT_TRUE(until_started(1));
  finish_well(attempt);
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(stored(attempt), "done");
}

TEST_F(RecoverTest, WhatEndsEveryDaemonThatStartsItEndsToo) {
  const OpenAttempt attempt = started({});
  for (int death = 1; death < kMostLostStarts; ++death) {
    recover();
    ASSERT_EQ(stored(attempt), "queued") << death;
    ASSERT_TRUE(writer_->now([&](Store& store) {
      return store.mark_started(attempt.row, now_wall(), {{{{0}, "", -1}}});
    }));
    restart();
  }
  recover();
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(stored(attempt), "failed");
  EXPECT_THAT(detail(attempt), HasSubstr("the daemon died 20 times while it started this attempt"));
}

TEST_F(RecoverTest, WhatEndedMeanwhileIsStoredWithoutARun) {
  const OpenAttempt attempt = started({});
  write_pid(attempt, 0);
  write_events(folder_of(attempt), 0, {step(0, 2.5), end(kWentWell)});
  recover();
  settle();
  EXPECT_EQ(stored(attempt), "done");
  EXPECT_EQ(samples(attempt), 1);
  EXPECT_TRUE(executor_.started.empty());
}

TEST_F(RecoverTest, WhatDiedMeanwhileIsACrashOfAnUnknownKind) {
  const OpenAttempt attempt = started({});
  write_pid(attempt, 0);
  write_phase(folder_of(attempt), 0, "optimizer");
  recover();
  settle();
  EXPECT_EQ(stored(attempt), "crashed");
  EXPECT_THAT(detail(attempt), HasSubstr("optimizer"));
}

TEST_F(RecoverTest, WhatStillRunsIsAdopted) {
  const OpenAttempt attempt = started({});
  write_pid(attempt, 0);
  executor_.alive = {0};
  recover();
  ASSERT_EQ(dispatcher_->running().size(), 1U);
  EXPECT_EQ(stored(attempt), "running");
  finish_well(attempt);
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(stored(attempt), "done");
  EXPECT_TRUE(executor_.started.empty());
}

TEST_F(RecoverTest, AnAdoptedOneHoldsItsLeaseAndItsDeadline) {
  const OpenAttempt attempt = started({{"timeout", "1s"}});
  const OpenAttempt next = store_sweep({{{"model", "xl"}}}).at(0);
  write_pid(attempt, 0);
  executor_.alive = {0};
  recover();
  settle();
  EXPECT_TRUE(executor_.started.empty());
  ASSERT_TRUE(until_ended(1));
  EXPECT_THAT(executor_.signals, ElementsAre(Sent{0, SIGTERM}, Sent{0, SIGKILL}));
  EXPECT_EQ(stored(attempt), "timeout");
  ASSERT_TRUE(until_started(1));
  EXPECT_EQ(executor_.started[0].attempt, next.id);
}

// A restart must not give an attempt its full time again.
TEST_F(RecoverTest, TheTimeOfAnAdoptedOneRanOnWhileNoDaemonDid) {
  const OpenAttempt late = started({{"timeout", "10m"}}, 1, seconds(11 * 60));
  write_pid(late, 0);
  executor_.alive = {0};
  recover();
  ASSERT_TRUE(until_ended(1));
  EXPECT_THAT(executor_.signals, ElementsAre(Sent{0, SIGTERM}, Sent{0, SIGKILL}));
  EXPECT_EQ(stored(late), "timeout");
}

TEST_F(RecoverTest, AClockThatWasSetForwardTakesNoTimeFromAnAdoptedOne) {
  const OpenAttempt early = started({{"timeout", "10m"}}, 1, seconds(24 * 3600));
  write_pid(early, 0);
  executor_.alive = {0};
  executor_.found_age = seconds(60);
  recover();
  settle();
  EXPECT_TRUE(executor_.signals.empty());
  EXPECT_EQ(stored(early), "running");
}

TEST_F(RecoverTest, AClockThatWasSetBackGivesAnAdoptedOneNoTime) {
  const OpenAttempt late = started({{"timeout", "10m"}}, 1, seconds(-24 * 3600));
  write_pid(late, 0);
  executor_.alive = {0};
  executor_.found_age = seconds(11 * 60);
  recover();
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(stored(late), "timeout");
}

TEST_F(RecoverTest, AnAdoptedOneHasWhatIsLeftOfItsTime) {
  const OpenAttempt early = started({{"timeout", "10m"}}, 1, seconds(9 * 60));
  write_pid(early, 0);
  executor_.alive = {0};
  recover();
  settle();
  EXPECT_TRUE(executor_.signals.empty());
  EXPECT_EQ(stored(early), "running");
}

// The exit status of an adopted process is unknown; its journal says whether it ended well.
TEST_F(RecoverTest, AdoptedRanksThatEndWellDoNotEndEachOther) {
  const OpenAttempt attempt = started({{"world_size", "2"}}, 2);
  for (const int rank : {0, 1}) write_pid(attempt, rank);
  executor_.alive = {0, 1};
  recover();
  finish_well(attempt, 0);
  settle();
  EXPECT_TRUE(executor_.signals.empty());
  finish_well(attempt, 1);
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(stored(attempt), "done");
}

TEST_F(RecoverTest, ARankThatDiedMeanwhileEndsTheOthers) {
  const OpenAttempt attempt = started({{"world_size", "2"}}, 2);
  for (const int rank : {0, 1}) write_pid(attempt, rank);
  executor_.alive = {0};
  recover();
  ASSERT_TRUE(until_ended(1));
  EXPECT_THAT(executor_.signals, ElementsAre(Sent{0, SIGKILL}));
  EXPECT_EQ(stored(attempt), "crashed by rank 1");
}

// The daemon died between two ranks of a gang, so those that began wait for one that never comes.
TEST_F(RecoverTest, AGangThatWasNotStartedInFullIsEndedAndQueuedAgain) {
  const OpenAttempt attempt = started({{"world_size", "3"}}, 3);
  for (const int rank : {0, 1}) write_pid(attempt, rank);
  executor_.alive = {0};
  recover();
  EXPECT_THAT(executor_.signals, ElementsAre(Sent{0, SIGKILL}));
  EXPECT_EQ(stored(attempt), "running") << "the next one waits until its folder is free";
  EXPECT_TRUE(executor_.started.empty());
  ASSERT_TRUE(until_started(1));
  EXPECT_TRUE(ended_.empty());
  EXPECT_EQ(executor_.started[0].attempt, attempt.id);
  for (const int rank : {0, 1, 2}) finish_well(attempt, rank);
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(stored(attempt), "done");
}

TEST_F(RecoverTest, OneThatIsCancelledMeanwhileStaysCancelled) {
  const OpenAttempt attempt = started({{"world_size", "2"}}, 2);
  write_pid(attempt, 0);
  executor_.alive = {0};
  recover();
  dispatcher_->stop({attempt.row});
  ASSERT_TRUE(until_ended(1));
  EXPECT_THAT(stored(attempt), HasSubstr("cancelled"));
  settle();
  EXPECT_TRUE(executor_.started.empty());
}

TEST_F(RecoverTest, ARankThatWasDoneMeanwhileLeavesTheOthersAlone) {
  const OpenAttempt attempt = started({{"world_size", "2"}}, 2);
  for (const int rank : {0, 1}) write_pid(attempt, rank);
  write_events(folder_of(attempt), 1, {step(0, 2.5), end(kWentWell)});
  executor_.alive = {0};
  recover();
  settle();
  EXPECT_TRUE(executor_.signals.empty());
  finish_well(attempt, 0);
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(stored(attempt), "done");
}

TEST_F(RecoverTest, AThirdDaemonFindsNothingToDo) {
  const OpenAttempt attempt = started({});
  write_pid(attempt, 0);
  write_events(folder_of(attempt), 0, {step(0, 2.5), end(kWentWell)});
  recover();
  settle();
  restart();
  recover();
  settle();
  EXPECT_EQ(ended_.size(), 1U);
  EXPECT_EQ(samples(attempt), 1);
}

// A rank that was ended by a signal looks like any other that was killed.
TEST_F(RecoverTest, ADeadlineThatThePreviousDaemonCarriedOutIsATimeout) {
  const OpenAttempt attempt = started({{"timeout", "50ms"}});
  write_pid(attempt, 0);
  write_phase(folder_of(attempt), 0, "optimizer");
  executor_.alive = {0};
  recover();
  ASSERT_TRUE(until([&] { return !executor_.signals.empty(); }));
  restart();  // before the rank's end was noticed
  recover();
  settle();
  EXPECT_EQ(stored(attempt), "timeout");
  EXPECT_THAT(detail(attempt), HasSubstr("took longer than 50ms, in optimizer"));
}

TEST_F(RecoverTest, WhatThePreviousDaemonCancelledIsCancelled) {
  const OpenAttempt attempt = started({});
  write_pid(attempt, 0);
  executor_.alive = {0};
  recover();
  dispatcher_->stop({attempt.row});
  ASSERT_TRUE(until([&] { return !executor_.signals.empty(); }));
  restart();
  executor_.alive = {0};  // and it takes its time
  recover();
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(stored(attempt), "cancelled");
}

TEST_F(RecoverTest, AGangWhoseTimeWasUpNamesWhoWasWaitedFor) {
  const OpenAttempt attempt = started({{"world_size", "2"}, {"timeout", "50ms"}}, 2);
  for (const int rank : {0, 1}) write_pid(attempt, rank);
  write_phase(folder_of(attempt), 0, "step", "all_reduce 7");
  write_phase(folder_of(attempt), 1, "step", "all_reduce 6 left");
  executor_.alive = {0, 1};
  recover();
  ASSERT_TRUE(until([&] { return !executor_.signals.empty(); }));
  restart();
  write_phase(folder_of(attempt), 0, "step", "all_reduce 7 left");  // on the order to end
  recover();
  settle();
  EXPECT_EQ(stored(attempt), "timeout by rank 1");
  EXPECT_THAT(detail(attempt), HasSubstr("the others waited for rank 1 in all_reduce 7"));
}

// The ranks' order does not show the cause.
TEST_F(RecoverTest, OfAGangThatEndedMeanwhileTheReasonIsNamed) {
  const OpenAttempt attempt = started({{"world_size", "3"}}, 3);
  for (const int rank : {0, 1, 2}) write_pid(attempt, rank);
  write_phase(folder_of(attempt), 0, "step", "all_reduce 7");
  write_events(folder_of(attempt), 0, {end_event({Failed{"closed", "step"}, 0})});
  write_events(folder_of(attempt), 1, {end_event(kWentWell)});
  write_phase(folder_of(attempt), 2, "step", "all_reduce 7");
  recover();
  settle();
  EXPECT_EQ(stored(attempt), "crashed by rank 2");
}

TEST_F(RecoverTest, OfAGangThatThePreviousDaemonEndedTheReasonIsNamed) {
  const OpenAttempt attempt = store_sweep({{{"world_size", "2"}}}).at(0);
  dispatcher_->enqueue({attempt});
  ASSERT_TRUE(until_started(1));
  for (const int rank : {0, 1}) {
    write_pid(attempt, rank);
    write_phase(folder_of(attempt), rank, "step");
  }
  executor_.leftovers = true;  // so that it has not been stored
  executor_.end(1, {SIGSEGV, std::nullopt});
  ASSERT_TRUE(until([&] { return !executor_.signals.empty(); }));
  EXPECT_THAT(executor_.signals, ElementsAre(Sent{0, SIGKILL}));
  restart();
  recover();
  settle();
  EXPECT_EQ(stored(attempt), "crashed by rank 1");
  EXPECT_THAT(detail(attempt), HasSubstr("SIGSEGV"));
}

// As a version left them that deleted a sweep that ran. No command could end them.
TEST_F(RecoverTest, WhatNoSweepHasIsCancelled) {
  const OpenAttempt running = started({});
  const OpenAttempt queued = store_sweep({{{"model", "xl"}}}).at(0);
  const OpenAttempt wanted = store_sweep({{{"model", "large"}}}).at(0);
  Connection(file(), Access::kReadWrite)
      .execute("DELETE FROM sweep_attempt WHERE attempt IN (" + std::to_string(running.row) + ", " +
               std::to_string(queued.row) + ")");
  write_pid(running, 0);
  executor_.alive = {0};
  recover();
  ASSERT_TRUE(until([&] { return stored(running) == "cancelled"; }));
  EXPECT_EQ(stored(queued), "cancelled");
  ASSERT_TRUE(until_started(1));
  EXPECT_EQ(executor_.started[0].attempt, wanted.id);
}

TEST_F(RecoverTest, ARankThatHadNoJournalGoesBackToTheQueue) {
  const OpenAttempt attempt = started({});
  write_text(folder_of(attempt).pid(0), "4242 987654 01234567-89ab-cdef-0123-456789abcdef!");
  recover();
  ASSERT_TRUE(until_started(1));
  EXPECT_TRUE(ended_.empty());
  finish_well(attempt);
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(stored(attempt), "done");
}

}  // namespace
}  // namespace sweepd
