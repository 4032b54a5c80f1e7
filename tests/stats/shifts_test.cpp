#include "runner/stats/shifts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/stats/series_builder.h"

namespace sweepd::stats {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

// `n` values, of which those from `at` on are `ratio` times as large.
std::vector<double> shifted(Random& random, std::size_t n, double noise, std::size_t at,
                            double ratio) {
  std::vector<double> values = noisy_steps(random, n, noise);
  for (std::size_t i = at; i < n; ++i) values[i] *= ratio;
  return values;
}

TEST(Shifts, WhiteNoiseHasNoneInNinetyNineOfAHundredSeries) {
  for (const double noise : {0.002, 0.01, 0.03, 0.1}) {
    for (const std::size_t n : {6, 7, 9, 11, 12, 13, 16, 24, 60, 300}) {
      Random random(n);
      int found = 0;
      for (int i = 0; i < 500; ++i)
        found += find_shifts(noisy_steps(random, n, noise)).empty() ? 0 : 1;
      EXPECT_LE(found, 5) << n << " values, noise " << noise;
    }
  }
}

TEST(Shifts, FivePercentAreFound) {
  for (const std::size_t n : {20, 40, 200}) {
    for (const double ratio : {1.05, 1 / 1.05}) {
      Random random(n);
      int found = 0;
      for (int i = 0; i < 200; ++i) {
        const auto shifts = find_shifts(shifted(random, n, 0.01, n / 2, ratio));
        if (shifts.size() != 1) continue;
        const bool near = shifts[0].at + 1 >= n / 2 && shifts[0].at <= n / 2 + 1;
        found += near && std::abs(shifts[0].ratio - ratio) < 0.02 ? 1 : 0;
      }
      EXPECT_GE(found, 190) << n << " values, ratio " << ratio;
    }
  }
}

TEST(Shifts, OfLessThanTwoPercentAreNone) {
  Random random(1);
  EXPECT_THAT(find_shifts(shifted(random, 60, 0.001, 30, 1.015)), IsEmpty());
  EXPECT_THAT(find_shifts(shifted(random, 60, 0.001, 30, 1.025)), SizeIs(1));
  EXPECT_THAT(find_shifts(shifted(random, 60, 0.001, 30, 1.025), 0.05), IsEmpty());
}

TEST(Shifts, ThereAndBackAreTwo) {
  Random random(2);
  std::vector<double> values = shifted(random, 60, 0.01, 20, 1.12);
  for (std::size_t i = 40; i < 60; ++i) values[i] /= 1.12;
  const auto shifts = find_shifts(values);
  ASSERT_THAT(shifts, SizeIs(2));
  EXPECT_EQ(shifts[0].at, 20U);
  EXPECT_NEAR(shifts[0].ratio, 1.12, 0.01);
  EXPECT_EQ(shifts[1].at, 40U);
  EXPECT_NEAR(shifts[1].ratio, 1 / 1.12, 0.01);
}

TEST(Shifts, OneOutlierOrTwoAreNone) {
  Random random(3);
  for (const std::size_t n : {8, 30}) {
    std::vector<double> values = noisy_steps(random, n, 0.005);
    values[n / 2] *= 3;
    EXPECT_THAT(find_shifts(values), IsEmpty()) << n;
    values[n / 2 + 1] *= 3;
    EXPECT_THAT(find_shifts(values), IsEmpty()) << n;
  }
}

TEST(Shifts, OfAFewValuesNeedAGap) {
  const auto shifts = find_shifts(std::vector<double>{10, 10.1, 10.05, 11, 11.1, 11.02});
  ASSERT_THAT(shifts, SizeIs(1));
  EXPECT_EQ(shifts[0].at, 3U);
  EXPECT_NEAR(shifts[0].ratio, 1.096, 0.002);
  // Apart, but by less than the values of one side are.
  EXPECT_THAT(find_shifts(std::vector<double>{10, 10.6, 10.3, 11, 11.5, 11.2}), IsEmpty());
  EXPECT_THAT(find_shifts(std::vector<double>{10, 10, 11, 11, 11}), IsEmpty()) << "too few";
  EXPECT_THAT(find_shifts(std::vector<double>(8, 10.0)), IsEmpty());
}

TEST(Shifts, OfWhatIsNoTimeAreNone) {
  std::vector<double> values(20, 1.0);
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    values[15] = bad;
    EXPECT_THAT(find_shifts(values), IsEmpty());
  }
  EXPECT_THAT(find_shifts({}), IsEmpty());
}

}  // namespace
}  // namespace sweepd::stats
