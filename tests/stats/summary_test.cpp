#include "runner/stats/summary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sweepd::stats {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The figures of printed tables; the one for 2.5 degrees is from a numerical integral.
TEST(Student, AgreesWithTables) {
  EXPECT_NEAR(student_width(0.95, 1), 12.706, 0.001);
  EXPECT_NEAR(student_width(0.95, 4), 2.776, 0.001);
  EXPECT_NEAR(student_width(0.99, 4), 4.604, 0.001);
  EXPECT_NEAR(student_width(0.95, 2.5), 3.574655, 1e-6);
  EXPECT_NEAR(student_width(0.95, 1e6), 1.960, 0.001);
  EXPECT_NEAR(student_p(2, 5), 0.101939, 1e-6);
  EXPECT_NEAR(student_p(-2, 5), 0.101939, 1e-6);
  EXPECT_EQ(student_p(0, 5), 1);
  EXPECT_NEAR(normal_quantile(0.8), 0.8416, 0.0001);
}

TEST(Summary, FiveValues) {
  EXPECT_NEAR(*standard_error(2, 5), 0.894427, 1e-6);
  EXPECT_NEAR(*mean_half_width(2, 5), 2.776445 * 0.894427, 1e-5);
  EXPECT_NEAR(mean_interval(10, 2, 5)->low, 10 - 2.483328, 1e-5);
  EXPECT_NEAR(mean_interval(10, 2, 5)->high, 10 + 2.483328, 1e-5);
  EXPECT_NEAR(*mean_half_width(2, 5, 0.99), 4.604095 * 0.894427, 1e-5);
}

TEST(Summary, EqualValuesHaveAnIntervalOfNoWidth) {
  EXPECT_EQ(mean_interval(10, 0, 3)->low, 10);
  EXPECT_EQ(mean_interval(10, 0, 3)->high, 10);
}

TEST(Summary, OneValueHasNoInterval) {
  EXPECT_FALSE(standard_error(0, 1));
  EXPECT_FALSE(mean_half_width(0, 1));
  EXPECT_FALSE(mean_interval(10, 0, 1));
  EXPECT_FALSE(standard_error(0, 0));
  EXPECT_FALSE(standard_error(kNan, 5));
  EXPECT_FALSE(mean_interval(kNan, 1, 5));
}

TEST(GeometricMean, TwiceAndHalfIsOne) {
  EXPECT_DOUBLE_EQ(*geometric_mean(std::vector{2.0, 0.5}), 1);
  EXPECT_DOUBLE_EQ(*geometric_mean(std::vector{1.0, 10.0, 100.0}), 10);
  EXPECT_FALSE(geometric_mean({}));
  EXPECT_FALSE(geometric_mean(std::vector{1.0, 0.0}));
  EXPECT_FALSE(geometric_mean(std::vector{1.0, kNan}));
}

}  // namespace
}  // namespace sweepd::stats
