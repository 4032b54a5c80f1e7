#include "runner/model/measurement/skew.h"

#include <gtest/gtest.h>

#include <vector>

namespace sweepd {
namespace {

// Adds steps of `rank`, the first of which is a warm-up.
void add(std::vector<Sample>& samples, int rank, std::vector<double> times_ms) {
  for (std::size_t i = 0; i < times_ms.size(); ++i) {
    const auto step = static_cast<std::int64_t>(i);
    samples.push_back({rank, step, "step", "time", times_ms[i], i == 0});
    samples.push_back({rank, step, "step", "host_time", 1000.0 * rank, i == 0});
    samples.push_back({rank, step, "forward", "time", 1000.0 * rank, i == 0});
  }
}

TEST(Skew, IsTheSlowestMinusTheFastestOfEachMeasuredStep) {
  std::vector<Sample> samples;
  add(samples, 0, {900, 10, 10, 13, 10});
  add(samples, 1, {1, 12, 10, 10, 11});
  add(samples, 2, {1, 11, 14, 10, 12});
  const auto skew = skew_of(samples);
  ASSERT_TRUE(skew);
  EXPECT_DOUBLE_EQ(skew->mean_ms, (2 + 4 + 3 + 2) / 4.0);
  EXPECT_DOUBLE_EQ(skew->max_ms, 4);
  EXPECT_EQ(skew->straggler, 2);  // it is the slowest in steps 2 and 4
  EXPECT_DOUBLE_EQ(skew->straggler_share, 0.5);
}

TEST(Skew, NeedsTwoRanks) {
  std::vector<Sample> samples;
  EXPECT_FALSE(skew_of(samples));
  add(samples, 0, {1, 2, 3});
  EXPECT_FALSE(skew_of(samples));
}

}  // namespace
}  // namespace sweepd
