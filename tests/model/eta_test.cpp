#include "runner/model/sweep/eta.h"

#include <gtest/gtest.h>

namespace sweepd {
namespace {

constexpr Pass kTiming = Pass::kTiming, kMemory = Pass::kMemory;

TEST(TimeLeft, IsTheMeanOfEachPassTimesWhatWaits) {
  struct Case {
    const char* what;
    std::vector<PassEta> passes;
    std::vector<RunningFor> running;
    std::optional<std::int64_t> left_s;
  };
  const std::vector<Case> cases{
      {"nothing ended yet", {{kTiming, 3, 0, {}}}, {{kTiming, seconds(1)}}, {}},
      {"two waiting, one running for 4 of its 10 s",
       {{kTiming, 2, 5, seconds(50)}},
       {{kTiming, seconds(4)}},
       26},
      {"an attempt over its time has nothing left",
       {{kTiming, 1, 1, seconds(10)}},
       {{kTiming, seconds(99)}},
       10},
      {"two beside each other", {{kTiming, 4, 2, seconds(20)}}, {{kTiming, {}}, {kTiming, {}}}, 30},
      {"passes differ",
       {{kTiming, 1, 1, seconds(10)}, {kMemory, 5, 2, seconds(4)}},
       {{kTiming, seconds(10)}},
       20},
      {"a pass that has not begun takes the mean of all",
       {{kTiming, 0, 2, seconds(20)}, {kMemory, 2, 0, {}}},
       {{kMemory, seconds(10)}},
       20},
      {"a tenth of the work has ended in 10 s",
       {{kTiming, 800, 100, seconds(10)}},
       {{kTiming, seconds(10), 100}},
       80},
      {"waiting behind another sweep", {{kTiming, 1, 1, seconds(10)}}, {}, {}},
      {"all ended", {{kTiming, 0, 3, seconds(30)}}, {}, 0},
      {"all reused", {}, {}, 0},
  };
  for (const Case& c : cases) {
    const auto left = time_left(c.passes, c.running);
    ASSERT_EQ(left.has_value(), c.left_s.has_value()) << c.what;
    if (left) {
      EXPECT_EQ(*left, seconds(*c.left_s)) << c.what;
    }
  }
}

TEST(AttemptWeights, AreOneUntilSet) {
  AttemptWeights weights;
  EXPECT_TRUE(weights.empty());
  EXPECT_EQ(weights.of("a", kTiming), 1);
  weights.set("a", kTiming, 250);
  EXPECT_FALSE(weights.empty());
  EXPECT_EQ(weights.of("a", kTiming), 250);
  EXPECT_EQ(weights.of("a", kMemory), 1);
  EXPECT_EQ(weights.of("b", kTiming), 1);
}

}  // namespace
}  // namespace sweepd
