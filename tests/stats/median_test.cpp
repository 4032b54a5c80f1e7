#include "runner/stats/summary.h"

#include <gtest/gtest.h>

namespace sweepd::stats {
namespace {

TEST(Median, IsTheMiddleOrTheMeanOfTheTwoInTheMiddle) {
  EXPECT_EQ(median({7}), 7);
  EXPECT_EQ(median({9, 1}), 5);
  EXPECT_EQ(median({9, 1, 2}), 2);
  EXPECT_EQ(median({4, 100, 1, 2}), 3);
  EXPECT_EQ(median({2, 2, 2, 2}), 2);
}

}  // namespace
}  // namespace sweepd::stats
