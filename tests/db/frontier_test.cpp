// Tests which points of sweeps are skipped once one of them ran out of memory.
#include "tests/db/fixture.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class FrontierTest : public DbTest {
 protected:
  // Ends the attempt, and returns the contexts of the skipped attempts, with the first one's
  // reason.
  std::vector<std::string> skipped_by(const OpenAttempt& attempt) {
    finish(ended(attempt.row, {Oom{1_GiB, 2_GiB, 2_GiB, "forward"}, 0}));
    const auto left = store_->skip_beyond(attempt, WallTime{9});
    EXPECT_TRUE(left) << left.error().message;
    std::vector<std::string> shown;
    for (const Store::SkippedAttempt& one : *left) {
      shown.push_back(describe(one.ending));
    }
    return shown;
  }
};

TEST_F(FrontierTest, WhatWaitsBeyondIsSkippedAndSaysWhy) {
  const auto queued = submit(sweep("s", {{{"context", "64"}},
                                         {{"context", "256"}},
                                         {{"context", "512"}},
                                         {{"context", "512"}, {"tied", "true"}}}))
                          .queued;
  EXPECT_THAT(skipped_by(queued[1]),
              ElementsAre("at least as large as a point that ran out of memory (context=256)"));
  const auto progress = reader_->find_sweep("s")->counts;
  EXPECT_EQ(progress.of(Outcome::kSkipped), 1);
  EXPECT_EQ(store_->open_attempts().value().size(), 2U) << "64, and what is tied";
}

TEST_F(FrontierTest, AnotherSweepOrAnotherPassIsNotSkipped) {
  auto both = sweep("both", {{{"context", "64"}}, {{"context", "128"}}});
  both.sweep.passes = {Pass::kTiming, Pass::kMemory};
  const auto queued = submit(both).queued;
  submit(sweep("other", {{{"context", "256"}}}));
  const auto timing = std::ranges::find(queued, Pass::kTiming, &OpenAttempt::pass);
  EXPECT_EQ(skipped_by(*timing).size(), 1U);
  EXPECT_EQ(store_->open_attempts().value().size(), 3U) << "two memory passes, and `other`";
}

TEST_F(FrontierTest, ASweepThatMeasuresEveryPointKeepsThem) {
  auto all = sweep("all", {{{"context", "64"}}, {{"context", "128"}}});
  all.sweep.frontier = false;
  EXPECT_THAT(skipped_by(submit(all).queued.front()), IsEmpty());

  // A point that such a sweep shares with another one stays too.
  const auto queued = submit(sweep("most", {{{"context", "32"}}, {{"context", "128"}}})).queued;
  EXPECT_THAT(skipped_by(queued.front()), IsEmpty());
}

// A point that does not fit here may fit on a cluster's nodes, and vice versa.
TEST_F(FrontierTest, AnotherPoolIsNotSkipped) {
  const auto queued = submit(sweep("s", {{{"context", "64"}},
                                         {{"context", "128"}},
                                         {{"context", "64"}, {"pool", "far"}},
                                         {{"context", "128"}, {"pool", "far"}},
                                         {{"context", "512"}, {"pool", "far"}}}))
                          .queued;
  EXPECT_EQ(skipped_by(queued[0]).size(), 1U);
  EXPECT_EQ(store_->open_attempts().value().size(), 3U) << "those of the other pool";
  EXPECT_EQ(skipped_by(queued[3]).size(), 1U) << "512 there";
  EXPECT_EQ(store_->open_attempts().value().size(), 1U) << "64 there";
}

TEST_F(FrontierTest, WhatRunsGoesOn) {
  const auto queued = submit(sweep("s", {{{"context", "64"}}, {{"context", "128"}}})).queued;
  ASSERT_TRUE(store_->mark_started(queued[1].row, WallTime{5}, {}));
  EXPECT_THAT(skipped_by(queued[0]), IsEmpty());
}

}  // namespace
}  // namespace sweepd
