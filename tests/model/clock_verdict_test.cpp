#include "runner/model/clock_verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace sweepd {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(JudgeClock, FewEarlierResultsSayNothing) {
  const std::vector<std::int64_t> two{1755, 1755};
  EXPECT_THAT(judge_clock(300, two).reasons, IsEmpty());
  EXPECT_THAT(judge_clock(300, {}).reasons, IsEmpty());
}

TEST(JudgeClock, ATenthBelowTheMedianIsAllowed) {
  const std::vector<std::int64_t> earlier{1980, 1500, 1490, 1510, 210};  // median 1500
  EXPECT_EQ(judge_clock(1350, earlier).verdict, Verdict::kValid);
  EXPECT_EQ(judge_clock(1349, earlier).verdict, Verdict::kSuspect);
  EXPECT_EQ(judge_clock(1980, earlier).verdict, Verdict::kValid) << "faster is no suspicion";
}

TEST(JudgeClock, TheReasonNamesBothClocksAndTheRank) {
  const std::vector<std::int64_t> earlier{1755, 1740, 1755};
  EXPECT_THAT(judge_clock(1200, earlier, " of rank 1").reasons,
              ElementsAre("the device of rank 1 ran at 1200 MHz after the measured steps, and at "
                          "1755 MHz in the 3 valid results of this trial before"));
}

}  // namespace
}  // namespace sweepd
