#include "runner/stats/steady.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/stats/series_builder.h"

namespace sweepd::stats {
namespace {

// 10 ms with 1 % of noise, and then a factor for each step.
template <typename Factor>
Steadiness steadiness(std::size_t n, Factor factor, double noise = 0.01) {
  Random random(n);
  std::vector<double> steps = noisy_steps(random, n, noise);
  for (std::size_t i = 0; i < n; ++i) steps[i] *= factor(i);
  return *find_steadiness(steps);
}

TEST(Steady, OneLevel) {
  const Steadiness found = steadiness(100, [](std::size_t) { return 1.0; });
  EXPECT_EQ(found.kind, SteadyKind::kSteady);
  EXPECT_EQ(found.steady_from, 0U);
  ASSERT_EQ(found.segments.size(), 1U);
  EXPECT_EQ(found.segments[0].begin, 0U);
  EXPECT_EQ(found.segments[0].end, 100U);
  EXPECT_NEAR(found.segments[0].mean, 10, 0.05);
  EXPECT_NEAR(found.segments[0].median, 10, 0.05);
}

TEST(Steady, AfterWarmUp) {
  const Steadiness found = steadiness(100, [](std::size_t i) { return i < 20 ? 1.3 : 1.0; });
  EXPECT_EQ(found.kind, SteadyKind::kSteady);
  EXPECT_EQ(found.steady_from, 20U);
  ASSERT_EQ(found.segments.size(), 2U);
  EXPECT_NEAR(found.segments[0].median, 13, 0.1);
}

// Fewer than five slow steps are no segment, but they are warm-up.
TEST(Steady, AfterASingleSlowStepOrAFew) {
  for (const std::size_t slow : {1, 2, 3, 4}) {
    const Steadiness found = steadiness(100, [&](std::size_t i) { return i < slow ? 3.0 : 1.0; });
    EXPECT_EQ(found.kind, SteadyKind::kSteady);
    EXPECT_EQ(found.steady_from, slow);
  }
  EXPECT_EQ(steadiness(100, [](std::size_t i) { return i == 50 ? 3.0 : 1.0; }).steady_from, 0U);
}

TEST(Steady, NotIfTheWarmUpTakesMoreThanHalf) {
  const auto until = [](std::size_t end) {
    return steadiness(100, [=](std::size_t i) { return i < end ? 1.2 : 1.0; });
  };
  EXPECT_EQ(until(48).kind, SteadyKind::kSteady);
  EXPECT_EQ(until(60).kind, SteadyKind::kNoSteadyState);
  EXPECT_EQ(until(60).steady_from, 60U);
}

TEST(Steady, ADisturbanceMatters) {
  const auto disturbed = [](std::size_t from) {
    return steadiness(200, [=](std::size_t i) { return i >= from && i < from + 20 ? 1.2 : 1.0; });
  };
  EXPECT_EQ(disturbed(40).kind, SteadyKind::kSteady);
  EXPECT_EQ(disturbed(40).steady_from, 60U);
  EXPECT_EQ(disturbed(150).kind, SteadyKind::kNoSteadyState);
}

TEST(Steady, LevelsWithinTheToleranceAreOne) {
  const auto one_per_cent = [](std::size_t i) { return i < 1000 ? 1.01 : 1.0; };
  const Steadiness found = steadiness(2000, one_per_cent);
  EXPECT_EQ(found.segments.size(), 2U);
  EXPECT_EQ(found.kind, SteadyKind::kSteady);
  EXPECT_EQ(found.steady_from, 0U);
}

TEST(Steady, SlowingInOneStepOrInMany) {
  const Steadiness step = steadiness(100, [](std::size_t i) { return i < 70 ? 1.0 : 1.1; });
  EXPECT_EQ(step.kind, SteadyKind::kSlowing);
  EXPECT_NEAR(static_cast<double>(step.steady_from), 70, 2);
  const auto drift = [](std::size_t i) { return 1 + 0.1 * static_cast<double>(i) / 400; };
  EXPECT_EQ(steadiness(400, drift).kind, SteadyKind::kSlowing);
  // A clock that is throttled early stays so: the later steps are steady among themselves.
  EXPECT_EQ(steadiness(100, [](std::size_t i) { return i < 20 ? 1.0 : 1.1; }).kind,
            SteadyKind::kSlowing);
}

TEST(Steady, AFewFastStepsAtTheBeginningAreWarmUp) {
  const Steadiness found = steadiness(200, [](std::size_t i) { return i < 6 ? 0.8 : 1.0; });
  EXPECT_EQ(found.kind, SteadyKind::kSteady);
  EXPECT_EQ(found.steady_from, 6U);
}

TEST(Steady, BimodalAtEveryPace) {
  for (const std::size_t pace : {1, 3, 20}) {
    const Steadiness found =
        steadiness(200, [&](std::size_t i) { return i / pace % 2 == 0 ? 1.0 : 1.1; });
    EXPECT_EQ(found.kind, SteadyKind::kBimodal) << "every " << pace << " steps";
  }
  EXPECT_EQ(steadiness(100, [](std::size_t i) { return i % 5 == 0 ? 1.1 : 1.0; }).kind,
            SteadyKind::kBimodal);
  EXPECT_EQ(steadiness(100, [](std::size_t i) { return i < 20 ? 2.0 : 1 + 0.1 * (i % 2); }).kind,
            SteadyKind::kBimodal)
      << "after a warm-up";
}

TEST(Steady, TwoLevelsWithinTheToleranceAreNotBimodal) {
  const auto close = [](std::size_t i) { return i % 2 == 0 ? 1.0 : 1.01; };
  EXPECT_EQ(steadiness(100, close, 0.0005).kind, SteadyKind::kSteady);
}

// A clock of 1 us under steps of 10 us.
TEST(Steady, ACoarseClock) {
  Random random(31);
  std::vector<double> steps;
  for (int i = 0; i < 300; ++i) steps.push_back(random.uniform() < 0.3 ? 11 : 10);
  EXPECT_EQ(find_steadiness(steps)->segments.size(), 1U);
  EXPECT_EQ(find_steadiness(std::vector<double>(50, 10.0))->kind, SteadyKind::kSteady);
}

TEST(Steady, TheUnitDoesNotMatter) {
  Random random(32);
  std::vector<double> steps = noisy_steps(random, 100, 0.02), small;
  for (std::size_t i = 0; i < 30; ++i) steps[i] *= 1.2;
  for (const double step : steps) small.push_back(step * 1e-9);
  EXPECT_EQ(find_steadiness(steps)->steady_from, find_steadiness(small)->steady_from);
}

// The noise is 1.2 %: levels that are slower by two and a half times as much, and by five times.
TEST(Steady, BelowThirtyStepsAChangeMustBeThreeTimesTheNoise) {
  const auto kind = [](std::size_t n, double jump) {
    std::vector<double> steps;
    for (std::size_t i = 0; i < n; ++i) {
      const double noise = 0.01 * (static_cast<double>(i % 3) - 1);
      steps.push_back(10 * (1 + noise) * (i < n / 2 ? 1 : 1 + jump));
    }
    return find_steadiness(steps)->kind;
  };
  EXPECT_EQ(kind(24, 0.03), SteadyKind::kSteady);
  EXPECT_EQ(kind(24, 0.06), SteadyKind::kSlowing);
  EXPECT_EQ(kind(30, 0.03), SteadyKind::kSlowing);
}

TEST(Steady, LevelsAreTheStepsThatDiffer) {
  const Levels slowing = steadiness(60, [](std::size_t i) { return i < 40 ? 1.0 : 1.2; }).levels;
  EXPECT_EQ(slowing.faster.size(), 40U);
  EXPECT_EQ(slowing.slower.front(), 40U);
  const Levels unsteady = steadiness(60, [](std::size_t i) { return i < 40 ? 1.2 : 1.0; }).levels;
  EXPECT_EQ(unsteady.faster.front(), 40U);
  EXPECT_EQ(unsteady.slower.size(), 40U);
  const Levels bimodal = steadiness(60, [](std::size_t i) { return i % 3 ? 1.0 : 1.2; }).levels;
  EXPECT_EQ(bimodal.slower.size(), 20U);
  EXPECT_EQ(bimodal.slower[1], 3U);
  EXPECT_EQ(bimodal.faster.size(), 40U);
  const Levels steady = steadiness(60, [](std::size_t) { return 1.0; }).levels;
  EXPECT_TRUE(steady.faster.empty() && steady.slower.empty());
}

TEST(Steady, TooFewOrUnusableSteps) {
  EXPECT_FALSE(find_steadiness({}));
  EXPECT_FALSE(find_steadiness(std::vector<double>(9, 1.0)));
  EXPECT_TRUE(find_steadiness(std::vector<double>(10, 1.0)));
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity()}) {
    std::vector<double> steps(20, 1.0);
    steps[7] = bad;
    EXPECT_FALSE(find_steadiness(steps)) << bad;
  }
}

TEST(TwoLevels, OutliersAndASingleChangeAreNone) {
  Random random(33);
  std::vector<double> values;
  for (int i = 0; i < 200; ++i) values.push_back(random.normal() * 0.01);
  EXPECT_FALSE(find_two_levels(values, 0.02));
  std::vector<double> outliers = values;
  for (std::size_t i = 0; i < 200; i += 20) outliers[i] += 1;
  EXPECT_FALSE(find_two_levels(outliers, 0.02));
  std::vector<double> changed = values;
  for (std::size_t i = 100; i < 200; ++i) changed[i] += 1;
  EXPECT_FALSE(find_two_levels(changed, 0.02));
  std::vector<double> two = values;
  for (std::size_t i = 0; i < 200; i += 4) two[i] += 0.3;
  const auto levels = find_two_levels(two, 0.02);
  ASSERT_TRUE(levels);
  EXPECT_NEAR(levels->low, 0, 0.01);
  EXPECT_NEAR(levels->high, 0.3, 0.01);
  EXPECT_DOUBLE_EQ(levels->high_share, 0.25);
}

}  // namespace
}  // namespace sweepd::stats
