#include "runner/stats/change_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "runner/stats/robust.h"
#include "tests/stats/series_builder.h"

namespace sweepd::stats {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

double squares(const std::vector<double>& values, std::size_t begin, std::size_t end) {
  double sum = 0, cost = 0;
  for (std::size_t i = begin; i < end; ++i) sum += values[i];
  const double mean = sum / static_cast<double>(end - begin);
  for (std::size_t i = begin; i < end; ++i) cost += (values[i] - mean) * (values[i] - mean);
  return cost;
}

// The same minimum without pruning and without running sums.
std::vector<std::size_t> slow_change_points(const std::vector<double>& values, std::size_t length,
                                            double penalty) {
  const std::size_t n = values.size();
  std::vector<double> least(n + 1, std::numeric_limits<double>::infinity());
  std::vector<std::vector<std::size_t>> found(n + 1);
  least[0] = -penalty;
  for (std::size_t end = length; end <= n; ++end) {
    for (std::size_t begin = 0; begin + length <= end; ++begin) {
      const double total = least[begin] + squares(values, begin, end) + penalty;
      if (!(total < least[end])) continue;
      least[end] = total;
      found[end] = found[begin];
      if (begin > 0) found[end].push_back(begin);
    }
  }
  return found[n];
}

TEST(ChangePoints, AreThoseOfTheFullSearch) {
  Random random(21);
  std::size_t total = 0;
  for (int series = 0; series < 200; ++series) {
    std::vector<double> values;
    double level = 0;
    for (std::size_t i = 0; i < 70; ++i) {
      if (random.uniform() < 0.25) level = 4 * random.normal();
      values.push_back(level + random.normal());
    }
    const std::size_t length = random.whole(1, 12);
    const double penalty = 0.5 + 8 * random.uniform();
    const auto found = change_points(values, {length, penalty});
    EXPECT_EQ(found, slow_change_points(values, length, penalty)) << "series " << series;
    total += found.size();
  }
  EXPECT_GT(total, 400U) << "or the test compares nothing";
}

TEST(ChangePoints, OfLevelsWithoutNoise) {
  std::vector<double> values(60, 0.0);
  for (std::size_t i = 20; i < 33; ++i) values[i] = 10;
  EXPECT_THAT(change_points(values, {5, 20}), ElementsAre(20, 33));
  EXPECT_THAT(change_points(std::vector<double>(60, 1.0), {5, 20}), IsEmpty());
  EXPECT_THAT(change_points(std::vector<double>{1, 2, 3}, {5, 20}), IsEmpty());
  EXPECT_THAT(change_points({}, {5, 20}), IsEmpty());
}

// In long series only some steps are tried at first.
TEST(ChangePoints, OfLongSeriesAreExactToo) {
  std::vector<double> values(9'999, 0.0);
  for (std::size_t i = 3'337; i < 7'001; ++i) values[i] = 10;
  EXPECT_THAT(change_points(values, {5, 30}), ElementsAre(3'337, 7'001));
}

TEST(Robust, NoiseIsThatBetweenChangesAndOutliers) {
  Random random(22);
  std::vector<double> values;
  for (int i = 0; i < 2000; ++i) values.push_back((i / 500) * 10 + 2 * random.normal());
  for (std::size_t i = 0; i < values.size(); i += 50) values[i] = 1000;
  const Noise noise = noise_of(values);
  EXPECT_NEAR(noise.deviation, 2, 0.2);
  EXPECT_EQ(noise.correlation, 0);
}

TEST(Robust, NoiseOfACorrelatedSeriesIsThatAroundItsLevel) {
  Random random(23);
  std::vector<double> values = correlated_noise(random, 5000, 0.02, 0.7);
  const Noise noise = noise_of(values);
  EXPECT_NEAR(noise.deviation, 0.2, 0.03);
  EXPECT_NEAR(noise.correlation, 0.65, 0.08);
  EXPECT_EQ(noise_of(std::vector<double>(10, 1.0)).deviation, 0);
}

TEST(Robust, ClippingKeepsStepsAndDropsSpikes) {
  std::vector<double> values(40, 1.0);
  for (std::size_t i = 20; i < 40; ++i) values[i] = 2;
  std::vector<double> spiky = values;
  spiky[3] = 90;
  spiky[30] = -90;
  const std::vector<double> clipped = clip_outliers(spiky, 0.1);
  EXPECT_DOUBLE_EQ(clipped[3], 1.1);
  EXPECT_DOUBLE_EQ(clipped[30], 1.9);
  EXPECT_EQ(clipped[19], 1);
  EXPECT_EQ(clipped[20], 2);
}

}  // namespace
}  // namespace sweepd::stats
