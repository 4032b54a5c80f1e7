// Tests paused sweeps in the database: held attempts, their release, and other changes of a paused
// sweep.
#include "tests/db/fixture.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class PauseStore : public DbTest {
 protected:
  Store::PauseReceipt pause(const std::vector<SweepId>& sweeps) {
    auto receipt = store_->pause_sweeps(sweeps, WallTime{7});
    EXPECT_TRUE(receipt) << receipt.error().message;
    return receipt ? *receipt : Store::PauseReceipt{};
  }
  Store::PauseReceipt resume(const std::vector<SweepId>& sweeps) {
    auto receipt = store_->resume_sweeps(sweeps);
    EXPECT_TRUE(receipt) << receipt.error().message;
    return receipt ? *receipt : Store::PauseReceipt{};
  }
  std::string why_not(const std::vector<SweepId>& sweeps) {
    const auto receipt = store_->pause_sweeps(sweeps, WallTime{7});
    if (receipt) return "it is possible";
    return receipt.error().message;
  }
  // The rows that a new daemon would hold.
  std::vector<std::int64_t> held() {
    std::vector<std::int64_t> rows;
    const auto open = store_->open_attempts();
    for (const OpenAttempt& attempt : open.value()) {
      if (attempt.held) rows.push_back(attempt.row);
    }
    return rows;
  }
};

TEST_F(PauseStore, HoldsWhatWaitsAndCountsWhatRuns) {
  const auto request = sweep("s", {{{"context", "1"}}, {{"context", "2"}}, {{"context", "3"}}});
  const auto queued = submit(request).queued;
  finish(done(queued[0].row, 1, 1));
  ASSERT_TRUE(store_->mark_started(queued[1].row, WallTime{5}, {}));
  const auto receipt = pause({request.id});
  ASSERT_EQ(receipt.sweeps.size(), 1U);
  EXPECT_EQ(receipt.sweeps[0].id, request.id);
  EXPECT_EQ(receipt.sweeps[0].name, "s");
  EXPECT_FALSE(receipt.sweeps[0].was_paused);
  EXPECT_EQ(receipt.sweeps[0].held, 1);
  EXPECT_EQ(receipt.sweeps[0].running, 1);
  // The running one is held as well, in case it is queued again.
  EXPECT_THAT(receipt.holds.held, ElementsAre(queued[1].row, queued[2].row));
  EXPECT_THAT(receipt.holds.released, IsEmpty());
  EXPECT_EQ(reader_->find_sweep("s")->paused, WallTime{7});
  EXPECT_TRUE(reader_->is_paused(request.id).value());

  const auto resumed = resume({request.id});
  EXPECT_TRUE(resumed.sweeps[0].was_paused);
  EXPECT_EQ(resumed.sweeps[0].held, 1);
  EXPECT_THAT(resumed.holds.released, ElementsAre(queued[1].row, queued[2].row));
  EXPECT_FALSE(reader_->find_sweep("s")->paused);
  EXPECT_FALSE(reader_->is_paused(request.id).value());
}

TEST_F(PauseStore, TwiceIsAsOnce) {
  const auto request = sweep("s", {{{"context", "1"}}});
  submit(request);
  pause({request.id});
  const auto again = store_->pause_sweeps({request.id, request.id}, WallTime{99});
  ASSERT_TRUE(again);
  ASSERT_EQ(again->sweeps.size(), 1U) << "named twice";
  EXPECT_TRUE(again->sweeps[0].was_paused);
  EXPECT_EQ(again->sweeps[0].held, 1);
  EXPECT_EQ(reader_->find_sweep("s")->paused, WallTime{7}) << "since the first time";
  resume({request.id});
  EXPECT_FALSE(resume({request.id}).sweeps[0].was_paused);
  EXPECT_THAT(held(), IsEmpty());
}

TEST_F(PauseStore, ANewDaemonHoldsTheSame) {
  const auto first = sweep("first", {{{"context", "1"}}}), second = sweep("second", {{}});
  const auto queued = submit(first).queued;
  submit(second);
  pause({first.id});
  reopen();
  EXPECT_THAT(held(), ElementsAre(queued[0].row));
  EXPECT_EQ(reader_->attempts_of_sweep(first.id, 0)->at(0).detail, "its sweep is paused");
  EXPECT_EQ(reader_->attempts_of_sweep(second.id, 0)->at(0).detail, "");
}

TEST_F(PauseStore, WhatAnotherSweepWantsGoesOnUntilBothArePaused) {
  const auto first = sweep("first", {{{"context", "1"}}, {{"context", "2"}}});
  const auto second = sweep("second", {{{"context", "2"}}});
  const auto queued = submit(first).queued;
  submit(second);
  auto receipt = pause({first.id});
  EXPECT_THAT(receipt.holds.held, ElementsAre(queued[0].row));
  EXPECT_THAT(receipt.holds.released, ElementsAre(queued[1].row));
  EXPECT_EQ(receipt.sweeps[0].held, 1);
  receipt = pause({second.id});
  EXPECT_THAT(receipt.holds.held, ElementsAre(queued[1].row));
  EXPECT_THAT(held(), ElementsAre(queued[0].row, queued[1].row));
  // Two paused sweeps hold their shared attempts, and resuming one of them releases these.
  resume({first.id, second.id});
  EXPECT_EQ(pause({first.id, second.id}).sweeps[1].held, 1);
  EXPECT_THAT(resume({second.id}).holds.released, ElementsAre(queued[1].row));
  EXPECT_THAT(held(), ElementsAre(queued[0].row));
}

TEST_F(PauseStore, ANewSweepReleasesWhatItJoins) {
  const auto first = sweep("first", {{{"context", "1"}}, {{"context", "2"}}});
  const auto queued = submit(first).queued;
  pause({first.id});
  const auto joined = submit(sweep("again", {{{"context", "2"}}, {{"context", "3"}}}));
  EXPECT_EQ(joined.attempts_joined, 1);
  EXPECT_EQ(joined.attempts_released, 1);
  EXPECT_THAT(joined.holds.released, testing::Contains(queued[1].row));
  EXPECT_FALSE(joined.queued.at(0).held);
  EXPECT_THAT(held(), ElementsAre(queued[0].row));
  EXPECT_EQ(submit(sweep("once more", {{{"context", "2"}}})).attempts_released, 0)
      << "nothing held it any more";
}

TEST_F(PauseStore, CancelEndsTheSweepAndItsPause) {
  const auto request = sweep("s", {{{"context", "1"}}});
  const auto queued = submit(request).queued;
  pause({request.id});
  const auto cancelled = store_->cancel_sweep(request.id, WallTime{9});
  ASSERT_TRUE(cancelled) << cancelled.error().message;
  EXPECT_THAT(cancelled->ended, ElementsAre(queued[0].row));
  EXPECT_FALSE(reader_->find_sweep("s")->paused);
  EXPECT_THAT(why_not({request.id}), HasSubstr("was cancelled; there is nothing to pause"));
  // A retry revives it, and it runs.
  const auto retried = store_->retry_sweep(request.id, {}, WallTime{10});
  ASSERT_TRUE(retried);
  EXPECT_FALSE(retried->is_paused);
  EXPECT_FALSE(retried->queued.at(0).held);
}

TEST_F(PauseStore, CancelOfOneHoldsWhatOnlyThePausedOneStillWants) {
  const auto paused = sweep("paused", {{{"context", "1"}}});
  const auto other = sweep("other", {{{"context", "1"}}, {{"context", "2"}}});
  const auto queued = submit(paused).queued;
  submit(other);
  EXPECT_THAT(pause({paused.id}).holds.held, IsEmpty());
  const auto cancelled = store_->cancel_sweep(other.id, WallTime{9});
  ASSERT_TRUE(cancelled);
  EXPECT_THAT(cancelled->holds.held, ElementsAre(queued[0].row));
  EXPECT_THAT(held(), ElementsAre(queued[0].row));
}

TEST_F(PauseStore, RetryOfAPausedSweepQueuesAndHolds) {
  const auto request = sweep("s", {{{"context", "1"}}, {{"context", "2"}}});
  const auto queued = submit(request).queued;
  pause({request.id});
  finish(ended(queued[0].row, {Oom{}, 0}));
  const auto retried = store_->retry_sweep(request.id, {}, WallTime{10});
  ASSERT_TRUE(retried) << retried.error().message;
  EXPECT_TRUE(retried->is_paused);
  ASSERT_EQ(retried->queued.size(), 1U);
  EXPECT_TRUE(retried->queued[0].held);
  EXPECT_THAT(held(), UnorderedElementsAre(queued[1].row, retried->queued[0].row));
}

TEST_F(PauseStore, DeleteSaysThatItIsPaused) {
  const auto request = sweep("s", {{{"context", "1"}}});
  submit(request);
  pause({request.id});
  const auto deleted = store_->delete_sweeps({request.id}, Store::Deletion::kForReal);
  ASSERT_FALSE(deleted);
  EXPECT_THAT(deleted.error().message, HasSubstr("it is paused, so resume it and wait, or cancel"));
}

TEST_F(PauseStore, AllMeansEveryOpenSweep) {
  const auto over = sweep("over", {{{"context", "1"}}}), a = sweep("a", {{{"context", "2"}}}),
             b = sweep("b", {{{"context", "3"}}});
  finish(done(submit(over).queued[0].row, 1, 1));
  EXPECT_THAT(store_->pause_all(WallTime{7})->sweeps, IsEmpty());
  submit(a);
  submit(b);
  pause({b.id});
  const auto all = store_->pause_all(WallTime{8});
  ASSERT_TRUE(all);
  ASSERT_EQ(all->sweeps.size(), 2U);
  EXPECT_EQ(all->sweeps[0].name, "a");
  EXPECT_FALSE(all->sweeps[0].was_paused);
  EXPECT_TRUE(all->sweeps[1].was_paused);
  EXPECT_EQ(held().size(), 2U);
  EXPECT_FALSE(reader_->find_sweep("over")->paused);
  // One that comes later is not paused.
  EXPECT_FALSE(submit(sweep("late", {{{"context", "4"}}})).queued[0].held);
  EXPECT_EQ(store_->resume_all()->sweeps.size(), 2U);
  EXPECT_THAT(held(), IsEmpty());
  EXPECT_THAT(store_->resume_all()->sweeps, IsEmpty());
}

TEST_F(PauseStore, OneThatHasEndedIsNamedAndNothingIsPaused) {
  const auto open = sweep("open", {{{"context", "1"}}}), over = sweep("over", {{{"context", "2"}}});
  submit(open);
  finish(done(submit(over).queued[0].row, 1, 1));
  EXPECT_THAT(why_not({open.id, over.id}),
              HasSubstr("sweep over (" + over.id.substr(0, 8) + ") has ended"));
  EXPECT_FALSE(reader_->find_sweep("open")->paused);
  EXPECT_THAT(why_not({open.id, "0123456789abcdef"}), HasSubstr("no sweep `0123456789abcdef`"));
  EXPECT_FALSE(reader_->find_sweep("open")->paused);
  EXPECT_FALSE(resume({over.id}).sweeps[0].was_paused);
}

TEST_F(PauseStore, APlanCountsWhatItsSubmissionWouldRelease) {
  const auto request = sweep("s", {{{"context", "1"}}, {{"context", "2"}}});
  submit(request);
  std::vector<WantedTrial> wanted;
  for (const NewTrial& one : request.trials) wanted.push_back({&one.key, 1, &one.trial, nullptr});
  const auto held_now = [&] {
    std::int64_t held = 0;
    const auto all = reader_->standing(def(), wanted, {Pass::kTiming}, "id-of-alpha", {});
    for (const TrialStanding& standing : all.value()) held += standing.held;
    return held;
  };
  EXPECT_EQ(held_now(), 0);
  pause({request.id});
  EXPECT_EQ(held_now(), 2);
}

TEST_F(PauseStore, DevicesOfThisHostStayPaused) {
  DeviceInfo gpu;
  gpu.kind = "cuda";
  gpu.uuid = "GPU-a";
  gpu.name = "H200";
  EXPECT_TRUE(store_->pause_device(cpu(), WallTime{7}).value());
  EXPECT_FALSE(store_->pause_device(cpu(), WallTime{9}).value()) << "it was so already";
  EXPECT_TRUE(store_->pause_device(gpu, WallTime{8}).value());
  reopen();
  const auto paused = store_->paused_devices().value();
  ASSERT_EQ(paused.size(), 2U);
  EXPECT_EQ(paused[0].kind, "cpu");
  EXPECT_EQ(paused[0].since, WallTime{7});
  EXPECT_EQ(paused[1].uuid, "GPU-a");
  gpu.name = "as another driver calls it";
  EXPECT_TRUE(store_->resume_device(gpu).value());
  EXPECT_FALSE(store_->resume_device(gpu).value());
  EXPECT_EQ(store_->paused_devices().value().size(), 1U);
  reopen("beta");
  EXPECT_TRUE(store_->paused_devices().value().empty()) << "of another machine";
}

TEST_F(PauseStore, ADeviceThatIsAtFaultIsPausedAndSaysWhyUntilItIsResumed) {
  DeviceInfo gpu;
  gpu.kind = "cuda";
  gpu.uuid = "GPU-a";
  gpu.name = "H200";
  ASSERT_TRUE(store_->take_out_of_service(gpu, WallTime{7}, "uncorrectable ECC error", "0123"));
  ASSERT_TRUE(store_->take_out_of_service(gpu, WallTime{9}, "another", "4567"));
  reopen();
  const auto paused = store_->paused_devices().value();
  ASSERT_EQ(paused.size(), 1U);
  EXPECT_EQ(paused[0].since, WallTime{7});
  EXPECT_EQ(paused[0].fault, "uncorrectable ECC error") << "the first one";
  EXPECT_EQ(paused[0].attempt, "0123");
  EXPECT_TRUE(store_->resume_device(gpu).value());
  EXPECT_TRUE(store_->paused_devices().value().empty());
  EXPECT_THAT(sql("SELECT fault, fault_attempt FROM device WHERE uuid = 'GPU-a'"),
              testing::ElementsAre("|"));
  ASSERT_TRUE(store_->pause_device(gpu, WallTime{11}));
  EXPECT_EQ(store_->paused_devices().value().at(0).fault, "") << "now a person paused it";
}

}  // namespace
}  // namespace sweepd
