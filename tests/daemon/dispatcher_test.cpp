#include "runner/daemon/attempts/dispatcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/daemon/dispatcher_story.h"

namespace sweepd {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;
using Sent = FakeExecutor::Sent;

class DispatcherTest : public DispatcherStory {};

TEST_F(DispatcherTest, AnAttemptIsStartedWaitedForAndStored) {
  const auto queued = enqueue({{{"model", "large"}}});
  ASSERT_EQ(queued.size(), 1U);
  EXPECT_TRUE(executor_.started.empty()) << "nothing happens inside the caller's call";
  ASSERT_TRUE(until_started(1));
  EXPECT_EQ(stored(queued[0]), "running");
  EXPECT_EQ(executor_.started[0].attempt, queued[0].id);
  EXPECT_EQ(executor_.started[0].lease.ranks.at(0).cores.size(), 4U);
  EXPECT_TRUE(std::filesystem::exists(folder_of(queued[0]).request()));
  ASSERT_EQ(dispatcher_->running().size(), 1U);
  EXPECT_EQ(dispatcher_->running()[0].label, "model=large");

  finish_well(queued[0]);
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(stored(queued[0]), "done");
  EXPECT_EQ(samples(queued[0]), 1);
  EXPECT_EQ(ended_[0].id, queued[0].id);
  EXPECT_TRUE(dispatcher_->running().empty());
}

// Else it would be read before the journal of this start.
TEST_F(DispatcherTest, WhatAnEarlierStartLeftIsGone) {
  const auto queued = store_sweep({{{"model", "large"}}});
  write_events(folder_of(queued[0]), 0, {step(0, 1)});
  dispatcher_->enqueue(queued);
  ASSERT_TRUE(until_started(1));
  EXPECT_FALSE(std::filesystem::exists(folder_of(queued[0]).events(0)));
}

TEST_F(DispatcherTest, TimingsOnTheCpuRunOneAfterTheOther) {
  const auto queued = enqueue({{{"model", "large"}}, {{"model", "xl"}}});
  ASSERT_TRUE(until_started(1));
  settle();
  EXPECT_EQ(executor_.started.size(), 1U);
  EXPECT_EQ(dispatcher_->queued(), 1U);
  finish_well(queued[0]);
  ASSERT_TRUE(until_started(2));
  EXPECT_EQ(executor_.started[1].attempt, queued[1].id);
}

TEST_F(DispatcherTest, TheFirstOfSeveralWaitsUntilTheWorkerIsLoaded) {
  executor_.loads = true;
  const auto queued = enqueue({{{"model", "large"}}, {{"model", "xl"}}});
  settle();
  EXPECT_TRUE(executor_.started.empty());
  EXPECT_EQ(stored(queued[0]), "queued") << "not marked started before it can start";
  EXPECT_EQ(dispatcher_->queued(), 2U);
  executor_.loads = false;
  executor_.prepared();
  ASSERT_TRUE(until_started(1));
  EXPECT_EQ(executor_.started[0].attempt, queued[0].id);
  executor_.loads = true;  // and is never prepared
  finish_well(queued[0]);
  ASSERT_TRUE(until_started(2)) << "nothing follows the last: it loads for itself";
  EXPECT_EQ(executor_.rests, 0);
  finish_well(queued[1]);
  ASSERT_TRUE(until([&] { return executor_.rests > 0; })) << "nothing runs or waits any more";
}

TEST_F(DispatcherTest, WhatThisMachineCannotRunIsSkippedWithTheReason) {
  const auto queued = enqueue({{{"device", "cuda"}}, {{"threads", "64"}}, {{"model", "xl"}}});
  ASSERT_TRUE(until_ended(2));
  EXPECT_EQ(stored(queued[0]), "skipped");
  EXPECT_EQ(stored(queued[1]), "skipped");
  EXPECT_THAT(detail(queued[1]), HasSubstr("64"));
  ASSERT_TRUE(until_started(1));
  EXPECT_EQ(executor_.started[0].attempt, queued[2].id);
}

TEST_F(DispatcherTest, AnAttemptOfAWorkloadThatIsGoneIsSkipped) {
  auto queued = store_sweep({{}});
  queued[0].workload = "gone";
  dispatcher_->enqueue(queued);
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(stored(queued[0]), "skipped");
  EXPECT_THAT(detail(queued[0]), HasSubstr("no workload `gone`"));
}

TEST_F(DispatcherTest, CancellingAsksTheProcessToEnd) {
  const auto queued = enqueue({{}});
  ASSERT_TRUE(until_started(1));
  dispatcher_->stop({queued[0].row});
  ASSERT_TRUE(until([&] { return !executor_.signals.empty(); }));
  EXPECT_EQ(executor_.signals[0], (Sent{0, SIGTERM}));
  executor_.end(0, {SIGTERM, std::nullopt});
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(stored(queued[0]), "cancelled");
}

TEST_F(DispatcherTest, WhatWaitsIsForgottenWhenItEndedInTheDatabase) {
  const auto queued = enqueue({{{"model", "large"}}, {{"model", "xl"}}});
  dispatcher_->forget({queued[0].row});
  ASSERT_TRUE(until_started(1));
  EXPECT_EQ(executor_.started[0].attempt, queued[1].id);
  EXPECT_EQ(dispatcher_->queued(), 0U);
}

TEST_F(DispatcherTest, ATimeoutAsksFirstAndKillsWhoDoesNotListen) {
  const auto queued = enqueue({{{"timeout", "30ms"}}});
  ASSERT_TRUE(until_started(1));
  write_phase(folder_of(queued[0]), 0, "backward");
  ASSERT_TRUE(until_ended(1));
  EXPECT_THAT(executor_.signals, ElementsAre(Sent{0, SIGTERM}, Sent{0, SIGKILL}));
  EXPECT_EQ(stored(queued[0]), "timeout");
  EXPECT_THAT(detail(queued[0]), HasSubstr("backward"));
}

// The rank writes how it ended and exits with 0. Only its message shows that the others wait for
// it.
TEST_F(DispatcherTest, ARankThatEndsBadlyEndsTheOthersAndIsNamed) {
  const Ending oom{Oom{1_GiB, 0_GiB, 2_GiB, "forward"}, 1};
  const auto queued = enqueue({{{"world_size", "3"}}});
  ASSERT_TRUE(until_started(1));
  say_and_exit(queued[0], 1, oom);
  ASSERT_TRUE(until_ended(1));
  EXPECT_THAT(executor_.signals, AllOf(Contains(Sent{0, SIGKILL}), Contains(Sent{2, SIGKILL}),
                                       Not(Contains(Sent{1, SIGKILL}))));
  EXPECT_EQ(stored(queued[0]), "oom by rank 1");
}

TEST_F(DispatcherTest, AKilledRankEndsTheOthersToo) {
  const auto queued = enqueue({{{"world_size", "2"}}});
  ASSERT_TRUE(until_started(1));
  executor_.end(1, {SIGSEGV, std::nullopt});
  ASSERT_TRUE(until_ended(1));
  EXPECT_THAT(executor_.signals, ElementsAre(Sent{0, SIGKILL}));
  EXPECT_EQ(stored(queued[0]), "crashed by rank 1");
}

// A gang learns of a death from broken connections sooner than the daemon from the process.
TEST_F(DispatcherTest, OfADeathAndWhatItBrokeTheDeathIsTold) {
  const auto queued = enqueue({{{"world_size", "4"}}});
  ASSERT_TRUE(until_started(1));
  write_phase(folder_of(queued[0]), 0, "step", "all_reduce 2");
  say_and_exit(queued[0], 0, {Failed{"all_reduce 2 over gloo: closed", "step"}});
  write_phase(folder_of(queued[0]), 1, "forward", "all_reduce 2");
  executor_.end(1, {SIGSEGV, std::nullopt});
  ASSERT_TRUE(until_ended(1));
  EXPECT_THAT(executor_.signals, UnorderedElementsAre(Sent{2, SIGKILL}, Sent{3, SIGKILL}));
  EXPECT_EQ(stored(queued[0]), "crashed by rank 1");
  EXPECT_EQ(detail(queued[0]), "rank 1: killed by SIGSEGV (11), in forward, in all_reduce 2");
}

TEST_F(DispatcherTest, TheLastToEndMayBeTheReason) {
  const auto queued = enqueue({{{"world_size", "2"}}});
  ASSERT_TRUE(until_started(1));
  write_phase(folder_of(queued[0]), 0, "step", "all_reduce 2");
  say_and_exit(queued[0], 0, {Failed{"all_reduce 2 over gloo: closed", "step"}});
  settle();
  EXPECT_TRUE(executor_.signals.empty());
  say_and_exit(queued[0], 1, {Oom{1_GiB, 0_GiB, 2_GiB, "forward"}, 1});
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(stored(queued[0]), "oom by rank 1");
}

TEST_F(DispatcherTest, ARankThatLostItsPeersIsGivenTimeToHearWhy) {
  const auto queued = enqueue({{{"world_size", "3"}}});
  ASSERT_TRUE(until_started(1));
  write_phase(folder_of(queued[0]), 2, "step", "barrier 2");
  say_and_exit(queued[0], 2, {Failed{"barrier 2 over gloo: closed", "step"}});
  ASSERT_TRUE(until_ended(1));  // no rank reports why
  EXPECT_THAT(executor_.signals, UnorderedElementsAre(Sent{0, SIGKILL}, Sent{1, SIGKILL}));
  EXPECT_EQ(stored(queued[0]), "failed by rank 2");
}

// By the default, peers end within a second of the first end; here the grace outlasts the story.
TEST_F(DispatcherTest, UntilThenItsPeersGoOn) {
  EXPECT_LE(DispatcherTiming{}.peer_grace, milliseconds(500));
  timing_.peer_grace = seconds(3600);
  restart();
  const auto queued = enqueue({{{"world_size", "2"}}});
  ASSERT_TRUE(until_started(1));
  write_phase(folder_of(queued[0]), 1, "step", "barrier 2");
  say_and_exit(queued[0], 1, {Failed{"barrier 2 over gloo: closed", "step"}});
  for (int i = 0; i < 20; ++i) settle();
  EXPECT_TRUE(executor_.signals.empty());
  say_and_exit(queued[0], 0, {Oom{1_GiB, 0_GiB, 2_GiB, "forward"}, 0});
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(stored(queued[0]), "oom");
}

TEST_F(DispatcherTest, NothingStartsBesideWhatAKilledRankLeftBehind) {
  const auto queued = enqueue({{{"model", "large"}}, {{"model", "xl"}}});
  ASSERT_TRUE(until_started(1));
  executor_.leftovers = true;
  executor_.end(0, {SIGKILL, std::nullopt});
  settle();
  EXPECT_EQ(executor_.started.size(), 1U);
  EXPECT_EQ(stored(queued[0]), "running");
  dispatcher_->stop({queued[0].row});
  settle();
  executor_.cleared();
  ASSERT_TRUE(until_started(2));
  EXPECT_EQ(stored(queued[0]), "crashed") << "it ended before it was stopped";
}

TEST_F(DispatcherTest, ATimeoutOfAGangNamesTheRankThatWasWaitedFor) {
  const auto queued = enqueue({{{"world_size", "2"}, {"timeout", "2s"}}});
  ASSERT_TRUE(until_started(1));
  write_phase(folder_of(queued[0]), 0, "step", "all_reduce 7");
  write_phase(folder_of(queued[0]), 1, "backward", "barrier 6 left");
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(stored(queued[0]), "timeout by rank 1");
  EXPECT_THAT(detail(queued[0]), HasSubstr("took longer than 2s, in backward: the others waited "
                                           "for rank 1 in all_reduce 7"));
}

TEST_F(DispatcherTest, RanksThatEndWellWaitForEachOther) {
  const auto queued = enqueue({{{"world_size", "2"}}});
  ASSERT_TRUE(until_started(1));
  finish_well(queued[0], 1);
  settle();
  EXPECT_TRUE(executor_.signals.empty());
  EXPECT_EQ(stored(queued[0]), "running");
  finish_well(queued[0], 0);
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(stored(queued[0]), "done");
  EXPECT_EQ(samples(queued[0]), 2);
}

TEST_F(DispatcherTest, DrainingWaitsForWhatRunsAndStartsNothing) {
  const auto queued = enqueue({{{"model", "large"}}, {{"model", "xl"}}});
  ASSERT_TRUE(until_started(1));
  dispatcher_->drain();
  settle();
  EXPECT_FALSE(drained_);
  finish_well(queued[0]);
  ASSERT_TRUE(until([&] { return drained_; }));
  EXPECT_EQ(executor_.started.size(), 1U);
  EXPECT_EQ(stored(queued[0]), "done");
  EXPECT_EQ(stored(queued[1]), "queued");
}

TEST_F(DispatcherTest, DrainingWithNothingRunningIsOverAtOnce) {
  dispatcher_->drain();
  EXPECT_TRUE(until([&] { return drained_; }));
}

TEST_F(DispatcherTest, WhatCannotBeStoredIsKeptAndNothingElseStarts) {
  const auto queued = enqueue({{{"model", "large"}}, {{"model", "xl"}}});
  ASSERT_TRUE(until_started(1));
  break_store();
  finish_well(queued[0]);
  ASSERT_TRUE(until([&] { return dispatcher_->running().empty(); }));
  settle();
  EXPECT_EQ(stored(queued[0]), "running");
  EXPECT_TRUE(ended_.empty());
  EXPECT_EQ(executor_.started.size(), 1U);
  EXPECT_THAT(dispatcher_->trouble(), HasSubstr("disk is full"));
  mend_store();
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(dispatcher_->trouble(), "");
  EXPECT_EQ(stored(queued[0]), "done");
  EXPECT_EQ(samples(queued[0]), 1);
  EXPECT_TRUE(until_started(2));
}

// The next daemon on it stores it, also if this one no longer sees the journal.
TEST_F(DispatcherTest, WhatEndsInAFolderThatWasMovedIsLeftToTheNextDaemon) {
  const auto queued = enqueue({{}});
  ASSERT_TRUE(until_started(1));
  keeps_folder_ = false;
  finish_well(queued[0]);
  until([&, start = now_instant()] { return now_instant() - start > milliseconds(300); });
  EXPECT_EQ(stored(queued[0]), "running");
  EXPECT_THAT(ended_, testing::IsEmpty());
}

TEST_F(DispatcherTest, DrainingIsNotOverBeforeEverythingIsStored) {
  const auto queued = enqueue({{}});
  ASSERT_TRUE(until_started(1));
  break_store();
  finish_well(queued[0]);
  dispatcher_->drain();
  ASSERT_TRUE(until([&] { return dispatcher_->running().empty(); }));
  settle();
  EXPECT_FALSE(drained_);
  mend_store();
  ASSERT_TRUE(until([&] { return drained_; }));
  EXPECT_EQ(stored(queued[0]), "done");
}

// Two memory passes with one core each run side by side; the first cannot be stored.
TEST_F(DispatcherTest, WhatRunsIsStoppedAlsoWhileNothingCanBeStored) {
  auto queued = store_sweep({{{"threads", "1"}}, {{"threads", "1"}, {"model", "xl"}}});
  for (OpenAttempt& attempt : queued) attempt.pass = Pass::kMemory;
  dispatcher_->enqueue({queued[1], queued[0]});
  ASSERT_TRUE(until_started(2));
  break_store();
  executor_.end(0, {SIGSEGV, std::nullopt});  // of the attempt that was started last
  ASSERT_TRUE(until([&] { return dispatcher_->running().size() == 1; }));
  const AttemptId left = dispatcher_->running()[0].id;
  dispatcher_->stop({std::ranges::find(queued, left, &OpenAttempt::id)->row});
  ASSERT_TRUE(until([&] { return dispatcher_->running().empty(); }));
  EXPECT_THAT(executor_.signals, ElementsAre(Sent{0, SIGTERM}, Sent{0, SIGKILL}));
  mend_store();
  ASSERT_TRUE(until_ended(2));
  EXPECT_THAT((std::vector<std::string>{stored(queued[0]), stored(queued[1])}),
              UnorderedElementsAre("crashed", "cancelled"));
}

}  // namespace
}  // namespace sweepd
