#include "runner/stats/process_noise.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/stats/series_builder.h"

namespace sweepd::stats {
namespace {

std::vector<double> processes_with(double noise, std::size_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> medians;
  for (std::size_t i = 0; i < n; ++i) medians.push_back(7 * std::exp(noise * random.normal()));
  return medians;
}

// Trying a hundred a side takes minutes under a sanitizer.
NoiseOptions up_to(std::size_t a_side) {
  NoiseOptions options;
  options.most_a_side = a_side;
  return options;
}

TEST(ProcessNoise, AlikeProcessesNeedTwoASideAndDifferByNothing) {
  const auto noise = process_noise(std::vector<double>(40, 3.5));
  ASSERT_TRUE(noise);
  EXPECT_EQ(noise->processes, 40U);
  EXPECT_EQ(noise->spread, 0);
  ASSERT_TRUE(noise->recommended);
  EXPECT_EQ(noise->recommended->a_side, 2U);
  EXPECT_EQ(noise->recommended->pairs, 37U) << "windows of four that begin at each process";
  EXPECT_EQ(noise->recommended->p95_difference, 0);
  EXPECT_EQ(noise->recommended->false_alarms, 0U);
  EXPECT_EQ(noise->recommended->found, 37U);
}

// The a's are the first, third ..., so two levels in turns differ as much as they can.
TEST(ProcessNoise, AWindowsProcessesBelongToTheSidesInTurns) {
  std::vector<double> medians;
  for (int i = 0; i < 40; ++i) medians.push_back(i % 2 == 0 ? 10 : 12);
  const auto noise = process_noise(medians);
  ASSERT_TRUE(noise);
  const NoiseOfPairs& two = noise->a_side.front();
  EXPECT_EQ(two.a_side, 2U);
  EXPECT_EQ(two.false_alarms, two.pairs);
  EXPECT_NEAR(two.p95_difference, 0.2, 1e-12);
}

TEST(ProcessNoise, FiguresAreThoseOfTheSeries) {
  const auto noise = process_noise(processes_with(0.02, 4000, 3), up_to(10));
  ASSERT_TRUE(noise);
  EXPECT_NEAR(noise->spread, 0.02, 0.001);
  const NoiseOfPairs& ten = noise->a_side.at(8);
  ASSERT_EQ(ten.a_side, 10U);
  // The difference of two trimmed means of ten, whose variance is 1.14 / 10: 0.02 sqrt(2.28 / 10),
  // of which 1.96 and 0.6745.
  EXPECT_NEAR(ten.p95_difference, 0.0187, 0.002);
  EXPECT_NEAR(ten.median_difference, 0.0064, 0.0007);
}

TEST(ProcessNoise, MoreNoiseNeedsMoreProcesses) {
  std::size_t before = 0;
  for (const double spread : {0.005, 0.015, 0.03}) {
    const auto noise = process_noise(processes_with(spread, 400, 11), up_to(40));
    ASSERT_TRUE(noise);
    ASSERT_TRUE(noise->recommended) << spread;
    EXPECT_GT(noise->recommended->a_side, before) << spread;
    before = noise->recommended->a_side;
  }
  EXPECT_FALSE(process_noise(processes_with(0.3, 400, 11), up_to(40))->recommended);
}

// With the processes that it recommends, other processes of the same kind keep the promise.
TEST(ProcessNoise, TheRecommendedNumberHoldsForNewProcesses) {
  for (const double spread : {0.01, 0.03}) {
    const auto noise = process_noise(processes_with(spread, 400, 5), up_to(40));
    ASSERT_TRUE(noise && noise->recommended) << spread;
    const std::size_t n = noise->recommended->a_side;
    const auto fresh = process_noise(processes_with(spread, 20'000, 6), up_to(n));
    const NoiseOfPairs& there = fresh->a_side.at(n - 2);
    ASSERT_EQ(there.a_side, n);
    const auto pairs = static_cast<double>(there.pairs);
    EXPECT_GE(static_cast<double>(there.found) / pairs, 0.93) << spread;
    EXPECT_LE(static_cast<double>(there.false_alarms) / pairs, 0.02) << spread;
  }
}

// Neighbours are as fast as each other, so pairs of them show effects that the whole series hides.
TEST(ProcessNoise, ADriftThatNeighboursShareCostsNoProcesses) {
  Random random(12);
  std::vector<double> medians;
  for (int i = 0; i < 400; ++i) {
    medians.push_back((1 + 0.3 * std::sin(i / 40.0)) * (1 + 0.01 * random.normal()));
  }
  const auto noise = process_noise(medians, up_to(20));
  ASSERT_TRUE(noise);
  EXPECT_GT(noise->spread, 0.15);
  ASSERT_TRUE(noise->recommended);
  EXPECT_LE(noise->recommended->a_side, 14U);
}

TEST(ProcessNoise, TooFewProcessesAndImpossibleValuesSayNothing) {
  EXPECT_FALSE(process_noise(std::vector<double>(15, 1.0)));
  EXPECT_TRUE(process_noise(std::vector<double>(16, 1.0)));
  std::vector<double> medians(20, 1.0);
  medians[7] = 0;
  EXPECT_FALSE(process_noise(medians));
  EXPECT_FALSE(process_noise({}));
}

}  // namespace
}  // namespace sweepd::stats
