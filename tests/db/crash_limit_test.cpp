// Tests that a trial that killed its worker three times is skipped, and which attempts count.
#include "runner/model/attempt/crash_limit.h"

#include <csignal>

#include "tests/db/fixture.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class CrashLimitTest : public DbTest {
 protected:
  static Ending killed_by(int signal) { return {Crashed{signal, std::nullopt, "step"}, 0}; }

  void SetUp() override {
    DbTest::SetUp();
    request_ = sweep("s", {{}});
    next_ = submit(request_).queued;
  }
  // Ends the last queued attempts, and retries them. Returns how many attempts that queued.
  std::int64_t end_and_retry(const Ending& ending, Insist insist = Insist::kNo) {
    if (!next_.empty()) finish(ended(next_.front().row, ending));
    const auto retried = store_->retry_sweep(request_.id, {}, WallTime{6'000'000'000}, {}, insist);
    EXPECT_TRUE(retried) << retried.error().message;
    next_ = retried->queued;
    skipped_ = retried->attempts_skipped;
    because_ = retried->skipped_because;
    return retried->attempts_queued;
  }

  NewSweep request_;
  std::vector<OpenAttempt> next_;
  std::int64_t skipped_ = 0;
  std::string because_;
};

TEST_F(CrashLimitTest, AfterTheThirdNothingQueuesTheTrialAgain) {
  EXPECT_EQ(end_and_retry(killed_by(SIGABRT)), 1);
  reopen();
  EXPECT_EQ(end_and_retry(killed_by(SIGKILL)), 1);
  reopen();
  const std::string last(short_id(next_.front().id));
  EXPECT_EQ(end_and_retry(killed_by(SIGSEGV)), 0);
  const std::string why = "killed its worker 3 times (SIGSEGV; the last: attempt " + last + ")";
  EXPECT_EQ(skipped_, 1);
  EXPECT_EQ(because_, why);
  const auto rows = sql("SELECT outcome, message, started_ns FROM attempt ORDER BY row");
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows.back(), "skipped|" + why + "|");
  EXPECT_THAT(sql("SELECT outcome FROM attempt WHERE is_current = 1"), ElementsAre("skipped"));

  const auto other = submit(sweep("other", {{}, {{"context", "64"}}}));
  EXPECT_EQ(other.attempts_skipped, 1) << "of any sweep";
  EXPECT_EQ(other.skipped_because, why);
  EXPECT_EQ(other.attempts_queued, 1) << "another point";
}

TEST_F(CrashLimitTest, APlanSkipsItToo) {
  const auto standing = [this] {
    const NewTrial wanted = trial({});
    const auto all = reader_->standing(def(), {{&wanted.key, 2, &wanted.trial}},
                                       {Pass::kTiming, Pass::kMemory}, "id-of-alpha");
    EXPECT_TRUE(all);
    return all ? all->at(0) : TrialStanding{};
  };
  end_and_retry(killed_by(SIGSEGV));
  end_and_retry(killed_by(SIGSEGV));
  EXPECT_EQ(standing().skipped, 0);
  finish(ended(next_.front().row, killed_by(SIGSEGV)));
  const TrialStanding after = standing();
  EXPECT_EQ(after.skipped, 2) << "repeats";
  EXPECT_EQ(after.all_to_run(), 1) << "the memory pass killed nobody";
  EXPECT_THAT(after.skipped_because, HasSubstr("killed its worker 3 times (SIGSEGV; the last"));
}

TEST_F(CrashLimitTest, RetriedAgainItKeepsItsRow) {
  for (int i = 0; i < 3; ++i) end_and_retry(killed_by(SIGSEGV));
  EXPECT_EQ(end_and_retry({}), 0);
  EXPECT_EQ(skipped_, 1);
  EXPECT_THAT(sql("SELECT count(*) FROM attempt"), ElementsAre("4"));
  EXPECT_EQ(reader_->find_sweep("s")->counts.of(Outcome::kSkipped), 1);
}

TEST_F(CrashLimitTest, ADoneOneBetweenBeginsTheCountAnew) {
  end_and_retry(killed_by(SIGSEGV));
  end_and_retry(killed_by(SIGSEGV));
  finish(done(next_.front().row, 1, 1));
  const auto measure_again = [this] {
    NewSweep again = sweep("again", {{}});
    again.reuse = Reuse::kNone;
    return submit(again);
  };
  for (int i = 0; i < 3; ++i) {
    const SubmitReceipt receipt = measure_again();
    ASSERT_EQ(receipt.attempts_queued, 1) << i << " since then";
    finish(ended(receipt.queued.front().row, killed_by(SIGSEGV)));
  }
  EXPECT_EQ(measure_again().attempts_skipped, 1);
}

TEST_F(CrashLimitTest, OnlyDeathsByASignalThatNobodySentCount) {
  const Ending others[] = {killed_by(SIGTERM),
                           killed_by(SIGINT),
                           killed_by(SIGHUP),
                           {Crashed{std::nullopt, 3, "step"}, 0},
                           {Crashed{}, 0},
                           {Timeout{seconds(1), "step"}, 0},
                           {Oom{}, 0},
                           {Failed{"no", "step"}, 0},
                           {Cancelled{"cancelled while running"}, 0}};
  for (const Ending& other : others) {
    EXPECT_FALSE(killed_its_worker(other)) << describe(other);
    EXPECT_EQ(end_and_retry(other), 1) << describe(other);
  }
  EXPECT_TRUE(killed_its_worker(killed_by(SIGBUS)));
  EXPECT_EQ(end_and_retry(killed_by(SIGBUS)), 1) << "the first that counts";
}

TEST_F(CrashLimitTest, OtherEndsBetweenDoNotBeginTheCountAnew) {
  end_and_retry(killed_by(SIGSEGV));
  end_and_retry({Timeout{seconds(1), "step"}, 0});
  end_and_retry(killed_by(SIGSEGV));
  EXPECT_EQ(end_and_retry(killed_by(SIGSEGV)), 0);
}

TEST_F(CrashLimitTest, WhoeverInsistsIsHeardAndBeginsTheCountAnew) {
  for (int i = 0; i < 3; ++i) end_and_retry(killed_by(SIGSEGV));
  ASSERT_EQ(skipped_, 1);
  EXPECT_EQ(end_and_retry({}, Insist::kYes), 1);
  EXPECT_EQ(skipped_, 0);
  EXPECT_EQ(end_and_retry(killed_by(SIGSEGV)), 1);
  EXPECT_EQ(end_and_retry(killed_by(SIGSEGV)), 1);
  EXPECT_EQ(end_and_retry(killed_by(SIGSEGV)), 0) << "three again";
}

TEST_F(CrashLimitTest, AnotherPassAndAnotherMachineAreTried) {
  for (int i = 0; i < 3; ++i) end_and_retry(killed_by(SIGSEGV));
  NewSweep memory = sweep("memory", {{}});
  memory.sweep.passes = {Pass::kMemory};
  EXPECT_EQ(submit(memory).attempts_queued, 1);
  reopen("beta");
  EXPECT_EQ(submit(sweep("elsewhere", {{}})).attempts_queued, 1);
}

TEST_F(CrashLimitTest, OtherCodeIsTried) {
  catalog_.workloads.front().code = "aaaa";
  reopen();
  for (int i = 0; i < 3; ++i) {
    AttemptRecord record = ended(next_.front().row, killed_by(SIGSEGV));
    record.environment = Environment{};
    record.environment->code = "aaaa";
    finish(record);
    next_ = store_->retry_sweep(request_.id, {}, WallTime{6'000'000'000})->queued;
  }
  EXPECT_THAT(next_, IsEmpty());
  catalog_.workloads.front().code = "bbbb";
  reopen();
  EXPECT_EQ(submit(sweep("mended", {{}})).attempts_queued, 1);
}

// Of a sweep with five repeats three are enough.
TEST_F(CrashLimitTest, WhatWaitsOfTheTrialIsSkipped) {
  const auto queued = submit(sweep("five", {{{"context", "64"}, {"repeats", "5"}}})).queued;
  ASSERT_EQ(queued.size(), 5U);
  const auto left_by = [&](std::size_t i) {
    finish(ended(queued[i].row, killed_by(SIGSEGV)));
    auto left = store_->skip_killer(queued[i], WallTime{9});
    EXPECT_TRUE(left) << left.error().message;
    return left ? *left : std::vector<Store::SkippedAttempt>();
  };
  EXPECT_THAT(left_by(0), IsEmpty());
  EXPECT_THAT(left_by(1), IsEmpty());
  const auto left = left_by(2);
  ASSERT_EQ(left.size(), 2U);
  EXPECT_EQ(left[0].id, queued[3].id);
  EXPECT_THAT(describe(left[1].ending), HasSubstr("killed its worker 3 times (SIGSEGV"));
  EXPECT_EQ(reader_->find_sweep("five")->counts.of(Outcome::kSkipped), 2);
}

}  // namespace
}  // namespace sweepd
