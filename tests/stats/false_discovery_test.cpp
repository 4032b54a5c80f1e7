#include "runner/stats/false_discovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/stats/series_builder.h"

namespace sweepd::stats {
namespace {

using ::testing::DoubleNear;
using ::testing::Optional;
using PValues = std::vector<std::optional<double>>;

Comparison changed(Change change, std::optional<double> p) {
  Comparison comparison;
  comparison.ratio = 1.1;
  comparison.change = change;
  comparison.p = p;
  return comparison;
}

// The example of Benjamini and Hochberg (1995), section 4.1: at 5 %, the first four are found.
TEST(FalseDiscovery, TheirOwnExample) {
  const PValues p{0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                  0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.000};
  const PValues adjusted = adjust_p(p);
  EXPECT_THAT(adjusted[0], Optional(DoubleNear(0.0015, 1e-12)));
  EXPECT_THAT(adjusted[3], Optional(DoubleNear(0.035625, 1e-12)));
  EXPECT_THAT(adjusted[4], Optional(DoubleNear(0.0603, 1e-12)));
  EXPECT_THAT(adjusted[5], Optional(DoubleNear(0.0298 * 15 / 7, 1e-12))) << "not above the 7th's";
  EXPECT_THAT(adjusted[14], Optional(1.0));
}

TEST(FalseDiscovery, EqualPAreAdjustedEquallyInAnyOrder) {
  const PValues adjusted = adjust_p(PValues{0.04, 0.01, 0.04, 0.9});
  EXPECT_EQ(adjusted[0], adjusted[2]);
  EXPECT_THAT(adjusted[0], Optional(DoubleNear(0.04 * 4 / 3, 1e-12)));
  EXPECT_THAT(adjusted[1], Optional(DoubleNear(0.04, 1e-12)));
  EXPECT_THAT(adjust_p(PValues{0, 0, 0}), testing::Each(Optional(0.0)));
  EXPECT_THAT(adjust_p(PValues{1, 1}), testing::Each(Optional(1.0)));
}

// Points without p do not count as tests: the only remaining p is unchanged.
TEST(FalseDiscovery, WhatIsNoProbabilityIsLeftOut) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const PValues adjusted = adjust_p(PValues{nan, std::nullopt, 0.03, -1, 2});
  EXPECT_THAT(adjusted[2], Optional(0.03));
  for (const std::size_t without : {0, 1, 3, 4}) EXPECT_FALSE(adjusted[without]) << without;
  EXPECT_TRUE(adjust_p({}).empty());
}

TEST(FalseDiscovery, TurnsDoubtfulChangesBackToUnclear) {
  std::vector<Comparison> points{changed(Change::kFaster, 0.001), changed(Change::kSlower, 0.04),
                                 changed(Change::kSame, 0.045), changed(Change::kUnclear, 0.5),
                                 changed(Change::kSlower, std::nullopt)};
  control_false_discoveries(points);
  EXPECT_EQ(points[0].change, Change::kFaster);
  EXPECT_EQ(points[1].change, Change::kUnclear) << *points[1].adjusted_p;
  EXPECT_EQ(points[2].change, Change::kSame);
  EXPECT_EQ(points[3].change, Change::kUnclear);
  EXPECT_EQ(points[4].change, Change::kSlower) << "without spread there is no chance";
  EXPECT_FALSE(points[4].adjusted_p);
}

TEST(FalseDiscovery, AnUnclearPointAsksForMoreProcessesThanAloneItWould) {
  Comparison point = changed(Change::kSlower, 0.04);
  point.a.processes = point.b.processes = 3;
  point.process_variance = 0.005;
  const auto alone = processes_needed(point);
  std::vector<Comparison> points(10, changed(Change::kUnclear, 0.6));
  points[0] = point;
  control_false_discoveries(points);
  ASSERT_EQ(points[0].change, Change::kUnclear);
  ASSERT_TRUE(points[0].needed);
  EXPECT_GT(points[0].needed->a_side, alone->a_side);
}

// 100 points, all unchanged, 40 times: without the adjustment every run has several changes.
TEST(FalseDiscovery, FewRunsOfUnchangedPointsHaveAnyChange) {
  Random random(11);
  constexpr CompareOptions k95{.confidence = 0.95};
  int with_change = 0, before = 0;
  constexpr int kRuns = 40;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<Comparison> points;
    for (int i = 0; i < 100; ++i) {
      points.push_back(compare(measured_processes(random, 4, 5, 0.03, 0.01),
                               measured_processes(random, 4, 5, 0.03, 0.01), k95));
    }
    const auto any_change = [&] {
      return std::any_of(points.begin(), points.end(), [](const Comparison& point) {
        return point.change == Change::kFaster || point.change == Change::kSlower;
      });
    };
    before += any_change() ? 1 : 0;
    control_false_discoveries(points, k95);
    with_change += any_change() ? 1 : 0;
  }
  EXPECT_GE(before, kRuns - 2);
  EXPECT_LE(with_change, 5);  // 5 % of the runs on average
}

}  // namespace
}  // namespace sweepd::stats
