#include "runner/model/attempt/partial_steps.h"

#include <gtest/gtest.h>

namespace sweepd {
namespace {

TEST(PartialSteps, SayHowManyBeforeWhat) {
  EXPECT_EQ(heading_of({12, 50, false, 512.34}, Outcome::kTimeout),
            "measured before the timeout: 12 of 50 steps");
  EXPECT_EQ(
      describe(PartialSteps{12, 50, false, 512.34}, Outcome::kTimeout),
      "12 of 50 steps were measured before the timeout, mean 512.3 ms; not shown as a figure");
  EXPECT_EQ(describe(PartialSteps{1, 1000, true, 2}, Outcome::kOom),
            "1 of at least 1,000 steps was measured before memory ran out, mean 2 ms; not shown as "
            "a figure");
  EXPECT_EQ(heading_of({1, 2, false, 1}, Outcome::kCrashed),
            "measured before the crash: 1 of 2 steps");
  EXPECT_EQ(heading_of({1, 2, false, 1}, Outcome::kCancelled),
            "measured before it was cancelled: 1 of 2 steps");
}

}  // namespace
}  // namespace sweepd
