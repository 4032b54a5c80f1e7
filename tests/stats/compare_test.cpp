#include "runner/stats/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "runner/stats/log_level.h"
#include "tests/stats/series_builder.h"

namespace sweepd::stats {
namespace {

// Processes of one step each, so that the step is the process's median.
Measured processes(const std::vector<double>& medians) {
  Measured side;
  for (const double median : medians) side.processes.push_back({median});
  return side;
}

// Every figure was computed apart, with Student's distribution as a numerical integral.
TEST(Compare, IsWelchsIntervalOfLogs) {
  const Comparison c =
      compare(processes({10, 10.2, 10.4}), processes({9, 9.1, 9.5}), {.confidence = 0.95});
  EXPECT_EQ(c.method, Method::kProcesses);
  EXPECT_FALSE(c.one_process);
  EXPECT_NEAR(*c.a.median, 10.198693, 1e-6);
  EXPECT_NEAR(*c.b.median, 9.197487, 1e-6);
  EXPECT_NEAR(*c.ratio, 0.901830, 1e-6);
  EXPECT_NEAR(c.interval->low, 0.850597, 1e-6);
  EXPECT_NEAR(c.interval->high, 0.956149, 1e-6);
  EXPECT_NEAR(*c.p, 0.00922533, 1e-7);
  EXPECT_EQ(c.change, Change::kFaster);
  EXPECT_LT(c.a.interval->low, 10.2);
  EXPECT_GT(c.a.interval->high, 10.2);
  EXPECT_FALSE(c.needed) << "nothing is unclear";
}

TEST(Compare, EachProcessCountsByItsMedian) {
  const Measured a{{{10, 10, 90}, {}, {10.2, 10.1, 10.3, 50, 10.2}, {10.4}}};
  const Comparison c = compare(a, processes({9, 9.1, 9.5}));
  EXPECT_EQ(c.a.processes, 3U) << "a process without steps does not count";
  EXPECT_EQ(c.a.steps, 9U);
  EXPECT_NEAR(*c.ratio, 0.901830, 1e-6);
}

TEST(Compare, TheOtherWayRoundIsTheInverse) {
  const Measured a = processes({10, 10.2, 10.4}), b = processes({9, 9.1, 9.5});
  const Comparison there = compare(a, b), back = compare(b, a);
  EXPECT_DOUBLE_EQ(*there.ratio * *back.ratio, 1);
  EXPECT_DOUBLE_EQ(there.interval->low * back.interval->high, 1);
  EXPECT_EQ(back.change, Change::kSlower);
  EXPECT_DOUBLE_EQ(*there.p, *back.p);
}

struct Called {
  const char* name;
  std::vector<double> b;  // against 100, 100.2, 99.8
  double tolerance;
  Change change;
};

TEST(Compare, WhatAChangeIsCalled) {
  const std::vector<Called> cases{
      {"far below", {90, 90.2, 89.8}, 0.02, Change::kFaster},
      {"far above", {110, 110.2, 109.8}, 0.02, Change::kSlower},
      {"no difference", {100, 100.1, 99.9}, 0.02, Change::kSame},
      {"a sure but small difference", {101, 101.1, 100.9}, 0.02, Change::kSame},
      {"the same without tolerance", {101, 101.1, 100.9}, 0, Change::kSlower},
      {"above 1, and most of it beyond the tolerance",
       {102.3, 102.4, 102.2},
       0.02,
       Change::kSlower},
      {"above 1, and less than half of it beyond", {101.7, 101.8, 101.6}, 0.02, Change::kUnclear},
      {"below 1, and less than half of it beyond", {98.3, 98.4, 98.2}, 0.02, Change::kUnclear},
      {"too noisy", {95, 100, 105}, 0.02, Change::kUnclear},
  };
  for (const Called& called : cases) {
    const Comparison c = compare(processes({100, 100.2, 99.8}), processes(called.b),
                                 {.tolerance = called.tolerance});
    EXPECT_EQ(c.change, called.change) << called.name << ": " << name_of(c.change) << ", "
                                       << c.interval->low << " to " << c.interval->high;
  }
}

// Two of ten processes of b were disturbed, one of them hugely.
TEST(Compare, AFewDisturbedProcessesOfManyChangeLittle) {
  const std::vector<double> a{9.98, 10, 10.02, 9.99, 10.01, 10.03, 9.97, 10, 10.01, 9.99};
  std::vector<double> b;
  for (const double value : a) b.push_back(value * 1.05);
  const Comparison quiet = compare(processes(a), processes(b));
  b[3] *= 50;
  b[7] *= 1.5;
  const Comparison c = compare(processes(a), processes(b));
  EXPECT_EQ(c.change, Change::kSlower);
  EXPECT_NEAR(*c.ratio, *quiet.ratio, 0.002);
  EXPECT_LT(c.interval->high, 1.06);
  EXPECT_GT(c.interval->high - c.interval->low, quiet.interval->high - quiet.interval->low);
  // Of seven nothing is set aside, because too few would be left to judge by.
  const std::vector<double> few(b.begin(), b.begin() + 7);
  EXPECT_EQ(compare(processes(few), processes(few)).change, Change::kUnclear);
}

// By hand: of the logs 1 to 10, 3 to 8 are left, and the others count as 3 and 8.
TEST(LogLevel, TrimmedIsYuens) {
  std::vector<double> values;
  for (const int log : {7, 2, 10, 4, 1, 9, 3, 8, 5, 6}) values.push_back(std::exp(log));
  const auto level = trimmed_level_of(values);
  ASSERT_TRUE(level);
  EXPECT_NEAR(level->centre, 5.5, 1e-12);
  EXPECT_EQ(level->degrees(), 5);
  EXPECT_NEAR(level->error_squared(), 42.5 / (6 * 5), 1e-12);
  values.resize(7);
  EXPECT_NEAR(trimmed_level_of(values)->centre, level_of(values)->centre, 0);
  EXPECT_EQ(trimmed_level_of(std::vector<double>(9, 3.0))->unit_variance, 0);
}

TEST(Compare, HigherConfidenceIsAWiderInterval) {
  const Measured a = processes({10, 10.2, 10.4}), b = processes({9.6, 9.7, 10.1});
  const Comparison sure = compare(a, b, {.confidence = 0.99}),
                   usual = compare(a, b, {.confidence = 0.95});
  EXPECT_LT(sure.interval->low, usual.interval->low);
  EXPECT_GT(sure.interval->high, usual.interval->high);
  EXPECT_EQ(*sure.p, *usual.p);
}

// A peak of memory is the same in every process, and its difference is no matter of chance.
TEST(Compare, ValuesThatDoNotVaryAreExact) {
  const Comparison more = compare(processes({1000, 1000}), processes({1100, 1100, 1100}));
  EXPECT_EQ(*more.ratio, 1.1);
  EXPECT_EQ(more.interval->low, 1.1);
  EXPECT_EQ(more.interval->high, 1.1);
  EXPECT_EQ(*more.a.median, 1000);
  EXPECT_EQ(more.a.interval->low, 1000);
  EXPECT_FALSE(more.p);
  EXPECT_EQ(more.change, Change::kSlower);
  const std::vector<double> constant(50, 7.0);
  const Comparison equal = compare({{constant}}, {{constant}});
  EXPECT_EQ(*equal.ratio, 1);
  EXPECT_EQ(equal.interval->high, 1);
  EXPECT_EQ(equal.change, Change::kSame);
}

TEST(Compare, SingleStepsHaveARatioAndNothingElse) {
  const Comparison c = compare(processes({10}), processes({20}));
  EXPECT_EQ(*c.ratio, 2);
  EXPECT_FALSE(c.interval);
  EXPECT_FALSE(c.p);
  EXPECT_FALSE(c.needed);
  EXPECT_TRUE(c.one_process);
  EXPECT_EQ(c.method, Method::kNone);
  EXPECT_EQ(c.change, Change::kUnclear);
}

TEST(Compare, WhatHasNoLogarithmHasNoRatio) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  const std::vector<Measured> unusable{{},
                                       {{{}}},
                                       processes({0, 1}),
                                       processes({1, -1}),
                                       processes({1, nan, 1}),
                                       processes({infinite, 1})};
  for (std::size_t i = 0; i < unusable.size(); ++i) {
    const Comparison c = compare(processes({10, 11}), unusable[i]);
    EXPECT_FALSE(c.b.median || c.b.interval || c.ratio || c.interval || c.p) << i;
    EXPECT_EQ(c.change, Change::kUnclear) << i;
    EXPECT_EQ(c.method, Method::kNone) << i;
    EXPECT_TRUE(c.a.median && c.a.interval) << i;
  }
}

TEST(Compare, OneProcessASideIsComparedByBlocks) {
  Random random(1);
  const Measured a{{noisy_steps(random, 200, 0.02)}};
  Measured b{{noisy_steps(random, 200, 0.02)}};
  for (double& step : b.processes[0]) step *= 0.9;
  const Comparison c = compare(a, b);
  EXPECT_EQ(c.method, Method::kBlocks);
  EXPECT_TRUE(c.one_process);
  EXPECT_EQ(c.change, Change::kFaster);
  EXPECT_LT(c.interval->high - c.interval->low, 0.02);
  EXPECT_FALSE(c.process_variance);
}

// Three processes differ by 20 %; that the fourth is 8 % faster means nothing, with any number of
// steps.
TEST(Compare, ASingleProcessIsAsDoubtfulAsOneOfTheOtherSide) {
  Random random(2);
  Measured b{{noisy_steps(random, 1000, 0.01)}};
  for (double& step : b.processes[0]) step *= 0.92;
  const Comparison c = compare(processes({9, 10, 11}), b);
  EXPECT_EQ(c.method, Method::kOtherSide);
  EXPECT_TRUE(c.one_process);
  EXPECT_EQ(c.change, Change::kUnclear);
  EXPECT_EQ(compare(processes({9.98, 10, 10.02}), b).change, Change::kFaster);
}

TEST(Compare, ProcessesThatHappenToBeAlikeDoNotHideTheNoiseOfASingleOne) {
  Random random(3);
  const Comparison c = compare(processes({10, 10}), {{noisy_steps(random, 100, 0.1)}});
  EXPECT_GT(c.interval->high - c.interval->low, 0.1);
  EXPECT_EQ(c.change, Change::kUnclear);
}

constexpr CompareOptions kUsual{.confidence = 0.95};

TEST(ProcessesNeeded, FallWithTheDistanceAndRiseWithTheSpread) {
  Comparison c;
  c.a.processes = c.b.processes = 3;
  c.ratio = 1.05;
  c.process_variance = 2 * 0.03 * 0.03;
  const auto needed = processes_needed(c, kUsual);
  ASSERT_TRUE(needed);
  // (t(12) + 0.84) * 0.03 * sqrt(2 / 7) = 0.0484 < log(1.05) = 0.0488; with 6 it is 0.0532.
  EXPECT_EQ(needed->a_side, 7U);
  EXPECT_FALSE(needed->more);
  EXPECT_GT(processes_needed(c)->a_side, 7U) << "99 % is the default";
  c.process_variance = 8 * 0.03 * 0.03;
  EXPECT_GT(processes_needed(c, kUsual)->a_side, 20U);
  c.process_variance = 0.5;
  EXPECT_TRUE(processes_needed(c, kUsual)->more);
  EXPECT_EQ(processes_needed(c, kUsual)->a_side, ProcessesNeeded::kMost);
  c.process_variance = 1e-9;
  EXPECT_EQ(processes_needed(c, kUsual)->a_side, 3U) << "never fewer than there are";
}

// Exchanged sides have the same ratio of errors, with the noise on either side.
TEST(ProcessesNeeded, CountTheSpreadOfBothSides) {
  const Measured quiet = processes({10, 10.001, 10.002}), noisy = processes({9.5, 10.2, 11});
  const Comparison forth = compare(quiet, noisy), back = compare(noisy, quiet);
  EXPECT_EQ(forth.change, Change::kUnclear);
  ASSERT_TRUE(forth.process_variance && back.process_variance);
  EXPECT_NEAR(*forth.process_variance, *back.process_variance, 1e-12);
}

// An interval around 1.012 that excludes 1 settles nothing: only one that ends below 1.02 does.
TEST(ProcessesNeeded, ARatioWithinTheToleranceMustFitIntoIt) {
  Comparison c;
  c.a.processes = c.b.processes = 2;
  c.process_variance = 2 * 0.01 * 0.01;
  c.ratio = 1.012;
  const std::size_t inside = processes_needed(c)->a_side;
  c.ratio = 1.0078;  // as far from 1.02 as 1.012 from 1
  EXPECT_GT(inside, processes_needed(c)->a_side);
}

// A ratio of 1 is settled by an interval that fits into the tolerance.
TEST(ProcessesNeeded, AreFiniteWithoutADifference) {
  Comparison c;
  c.a.processes = c.b.processes = 2;
  c.ratio = 1;
  c.process_variance = 2 * 0.01 * 0.01;
  // (t(8) + 0.84) * 0.01 * sqrt(2 / 5) = 0.0199, less than the 0.0202 to a ratio of 0.98.
  EXPECT_EQ(processes_needed(c, {.confidence = 0.95, .tolerance = 0.02})->a_side, 5U);
  EXPECT_TRUE(processes_needed(c, {.confidence = 0.95, .tolerance = 0})->more);
  c.process_variance.reset();
  EXPECT_FALSE(processes_needed(c, kUsual));
}

}  // namespace
}  // namespace sweepd::stats
