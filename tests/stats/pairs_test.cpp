#include "runner/stats/pairs.h"

#include <gmock/gmock.h>

#include <cmath>

#include "runner/stats/compare.h"
#include "tests/stats/series_builder.h"

namespace sweepd::stats {
namespace {

using testing::IsEmpty;
using testing::Pair;

std::vector<std::int64_t> times(std::int64_t first, std::int64_t step, std::size_t n) {
  std::vector<std::int64_t> all;
  for (std::size_t i = 0; i < n; ++i) all.push_back(first + step * static_cast<std::int64_t>(i));
  return all;
}

TEST(PairsInTurns, AreNeighboursWhicheverRanFirst) {
  std::vector<std::int64_t> a = times(0, 10, 12), b = times(3, 10, 12);
  std::swap(a[5], b[5]);
  const auto pairs = pairs_in_turns(a, b);
  ASSERT_EQ(pairs.size(), 12U);
  for (std::size_t i = 0; i < pairs.size(); ++i) EXPECT_THAT(pairs[i], Pair(i, i));
}

TEST(PairsInTurns, OneThatIsMissingCostsOnePair) {
  std::vector<std::int64_t> a = times(0, 10, 14), b = times(3, 10, 14);
  a.erase(a.begin() + 6);
  const auto pairs = pairs_in_turns(a, b);
  EXPECT_EQ(pairs.size(), 13U);
  for (const auto& [of_a, of_b] : pairs) EXPECT_LE(std::abs(a[of_a] - b[of_b]), 7);
}

TEST(PairsInTurns, NeedSidesThatRanInTurns) {
  EXPECT_THAT(pairs_in_turns(times(0, 10, 30), times(300, 10, 30)), IsEmpty()) << "one by one";
  EXPECT_THAT(pairs_in_turns(times(0, 10, 20), times(3, 10, 14)), IsEmpty()) << "a is alone later";
  EXPECT_THAT(pairs_in_turns(times(0, 0, 20), times(0, 0, 20)), IsEmpty()) << "unknown times";
  EXPECT_THAT(pairs_in_turns({}, {}), IsEmpty());
}

TEST(LevelOfPairs, IsTheTrimmedMeanOfTheRatios) {
  std::vector<double> a(15, 10.0), b(15, 11.0);
  b[3] = 900;
  a[7] = 900;
  Pairs pairs = pairs_in_turns(times(0, 2, 15), times(1, 2, 15));
  EXPECT_EQ(pairs.size(), 15U);
  const auto level = level_of_pairs(a, b, pairs);
  ASSERT_TRUE(level);
  EXPECT_EQ(level->units, 9);
  EXPECT_NEAR(std::exp(level->centre), 1.1, 1e-12);
  EXPECT_EQ(level->unit_variance, 0);
  pairs.resize(11);
  EXPECT_FALSE(level_of_pairs(a, b, pairs)) << "too few";
}

// A machine whose speed changes by a third every few processes, and sides that differ by 5 %.
struct Drifting {
  Measured a, b;
  Drifting(Random& random, std::size_t n, double ratio) {
    double level = 1;
    for (std::size_t i = 0; i < n; ++i) {
      if (i % 4 == 0) level = 1 + random.uniform() / 3;
      const auto time = static_cast<std::int64_t>(2 * i);
      a.processes.push_back({level * (1 + 0.01 * random.normal())});
      a.started.push_back(time);
      b.processes.push_back({ratio * level * (1 + 0.01 * random.normal())});
      b.started.push_back(time + 1);
    }
  }
};

TEST(Compare, SidesThatRanInTurnsAreComparedPairByPair) {
  Random random(4);
  Drifting sides(random, 16, 1.05);
  const Comparison paired = compare(sides.a, sides.b);
  EXPECT_EQ(paired.method, Method::kPairs);
  EXPECT_EQ(paired.in_turns, true);
  EXPECT_EQ(paired.change, Change::kSlower);
  EXPECT_NEAR(*paired.ratio, 1.05, 0.01);
  EXPECT_LT(*paired.process_variance, 0.02 * 0.02) << "of a pair";
  sides.b.started.clear();
  const Comparison apart = compare(sides.a, sides.b);
  EXPECT_EQ(apart.method, Method::kProcesses);
  EXPECT_EQ(apart.in_turns, std::nullopt);
  EXPECT_EQ(apart.change, Change::kUnclear);
  EXPECT_GT(*apart.process_variance, 0.05 * 0.05);
}

TEST(Compare, SaysWhetherTheSidesRanInTurns) {
  const auto in_turns = [](std::int64_t b_begins) {
    const Measured a{{{10}, {11}, {12}}, {0, 10, 20}};
    const Measured b{{{10}, {11}, {12}}, {b_begins, b_begins + 10, b_begins + 20}};
    return compare(a, b).in_turns;
  };
  EXPECT_EQ(in_turns(5), true);
  EXPECT_EQ(in_turns(-5), true);
  EXPECT_EQ(in_turns(100), false);
}

TEST(Compare, ThePairsOfTheOtherWayRoundAreTheInverse) {
  Random random(8);
  const Drifting sides(random, 13, 0.9);
  const Comparison there = compare(sides.a, sides.b), back = compare(sides.b, sides.a);
  EXPECT_NEAR(*there.ratio * *back.ratio, 1, 1e-12);
  EXPECT_NEAR(there.interval->low * back.interval->high, 1, 1e-12);
}

// `needs` of a pairwise comparison is about pairs, which have half the degrees of freedom.
TEST(ProcessesNeeded, OfPairsAreMoreThanOfEquallyVaryingProcesses) {
  Comparison c;
  c.a.processes = c.b.processes = 12;
  c.ratio = 1.03;
  c.process_variance = 0.03 * 0.03;
  c.method = Method::kProcesses;
  const std::size_t of_processes = processes_needed(c)->a_side;
  c.method = Method::kPairs;
  EXPECT_GT(processes_needed(c)->a_side, of_processes);
}

// The 95 % interval of equal sides holds 1 and calls few of them different, drifting or not.
TEST(Coverage, PairsThatRanInTurns) {
  for (const std::size_t n : {12U, 15U, 30U}) {
    Random random(n);
    int right = 0, alarms = 0;
    constexpr int kRounds = 3000;
    for (int i = 0; i < kRounds; ++i) {
      const Drifting sides(random, n, 1);
      const Comparison c = compare(sides.a, sides.b, {.confidence = 0.95, .tolerance = 0});
      right += c.interval->low <= 1 && 1 <= c.interval->high ? 1 : 0;
      alarms += compare(sides.a, sides.b, {.tolerance = 0}).p < 0.01 ? 1 : 0;
    }
    EXPECT_NEAR(right, 0.95 * kRounds, 0.015 * kRounds) << n;
    EXPECT_NEAR(alarms, 0.01 * kRounds, 0.007 * kRounds) << n;
  }
}

}  // namespace
}  // namespace sweepd::stats
