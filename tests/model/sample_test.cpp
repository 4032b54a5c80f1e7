#include "runner/model/measurement/sample.h"
#include "runner/model/vocabulary/known_metric.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

namespace sweepd {
namespace {

// numpy's mean, std(ddof=1), percentile(linear) and median(|x - median|) of the same numbers.
TEST(Summarize, AgreesWithNumpy) {
  const double values[] = {3, 1, 4, 1, 5, 9, 2, 6};
  const Stats stats = summarize(values);
  EXPECT_EQ(stats.n, 8);
  EXPECT_DOUBLE_EQ(stats.mean, 3.875);
  EXPECT_NEAR(stats.std, 2.748376143938713, 1e-12);
  EXPECT_EQ(stats.min, 1);
  EXPECT_DOUBLE_EQ(stats.p05, 1);
  EXPECT_DOUBLE_EQ(stats.median, 3.5);
  EXPECT_NEAR(stats.p95, 7.95, 1e-12);
  EXPECT_EQ(stats.max, 9);
  EXPECT_DOUBLE_EQ(stats.mad, 2);
}

TEST(Summarize, OneAndNone) {
  const double one[] = {7};
  const Stats stats = summarize(one);
  EXPECT_EQ(stats.n, 1);
  EXPECT_EQ(stats.std, 0);
  EXPECT_EQ(stats.p05, 7);
  EXPECT_EQ(stats.p95, 7);
  EXPECT_EQ(stats.mad, 0);
  EXPECT_EQ(summarize({}).n, 0);
}

TEST(Summarize, OneThatIsNotANumberMakesEveryFigureSo) {
  const double values[] = {3, std::nan(""), 1};
  const Stats stats = summarize(values);
  EXPECT_EQ(stats.n, 3);
  for (const double figure : {stats.mean, stats.std, stats.min, stats.p05, stats.median, stats.p95,
                              stats.max, stats.mad}) {
    EXPECT_TRUE(std::isnan(figure));
  }
}

TEST(SummarizeSamples, OneThatIsNotANumberCountsOnWhateverRank) {
  for (const int rank : {0, 1}) {
    const Sample samples[] = {{0, 1, "step", "time", rank == 0 ? std::nan("") : 5, false},
                              {1, 1, "step", "time", rank == 1 ? std::nan("") : 5, false}};
    EXPECT_TRUE(std::isnan(summarize_samples(samples).at(0).stats.mean)) << rank;
  }
}

TEST(Summarize, OrderOfTheSamplesDoesNotMatter) {
  EXPECT_TRUE(rc::check([](std::vector<int> raw) {
    std::vector<double> values(raw.begin(), raw.end());
    const Stats forwards = summarize(values);
    std::reverse(values.begin(), values.end());
    const Stats backwards = summarize(values);
    RC_ASSERT(forwards.mean == backwards.mean);
    RC_ASSERT(forwards.std == backwards.std);
    RC_ASSERT(forwards.median == backwards.median);
    RC_ASSERT(forwards.min <= forwards.p05 && forwards.p05 <= forwards.median);
    RC_ASSERT(forwards.median <= forwards.p95 && forwards.p95 <= forwards.max);
  }));
}

TEST(SummarizeSamples, WarmUpIsLeftOut) {
  const Sample samples[] = {
      {0, 0, "forward", "time", 100, true},
      {0, 1, "forward", "time", 10, false},
      {0, 2, "forward", "time", 12, false},
  };
  const auto summaries = summarize_samples(samples);
  ASSERT_EQ(summaries.size(), 1u);
  EXPECT_EQ(summaries[0].stats.n, 2);
  EXPECT_DOUBLE_EQ(summaries[0].stats.mean, 11);
}

// A step ends when its last rank does. The mean over ranks would hide the slow one.
TEST(SummarizeSamples, RanksCountByTheSlowest) {
  const Sample samples[] = {
      {0, 0, "step", "time", 10, false},
      {1, 0, "step", "time", 14, false},
      {0, 1, "step", "time", 20, false},
      {1, 1, "step", "time", 16, false},
  };
  const auto summaries = summarize_samples(samples);
  ASSERT_EQ(summaries.size(), 1u);
  EXPECT_EQ(summaries[0].stats.n, 2);
  EXPECT_DOUBLE_EQ(summaries[0].stats.mean, 17);
}

TEST(SummarizeSamples, PhasesKeepTheirOrderAndMetricsStayApart) {
  const Sample samples[] = {
      {0, 0, "forward", "time", 1, false},
      {0, 0, "backward", "time", 2, false},
      {0, 0, "step", "time", 3, false},
      {0, 0, "step", "host_time", 4, false},
  };
  const auto summaries = summarize_samples(samples);
  ASSERT_EQ(summaries.size(), 4u);
  EXPECT_EQ(summaries[0].phase, "forward");
  EXPECT_EQ(summaries[1].phase, "backward");
  EXPECT_EQ(summaries[2].metric, "time");
  EXPECT_EQ(summaries[3].metric, "host_time");
}

// As in nccl-tests: the bytes of all operations by their total time, not the mean of the rates.
TEST(SummarizeSamples, ABandwidthIsBytesByTheStatisticOfTime) {
  const Sample samples[] = {
      {0, 0, "step", "time", 1, false},
      {0, 0, "step", "algbw", 8, false},
      {0, 1, "step", "time", 4, false},
      {0, 1, "step", "algbw", 2, false},
  };
  const auto summaries = summarize_samples(samples);
  ASSERT_EQ(summaries.size(), 2u);
  EXPECT_DOUBLE_EQ(summaries[0].stats.mean, 2.5);
  EXPECT_DOUBLE_EQ(summaries[1].stats.mean, 8 / 2.5);
  EXPECT_DOUBLE_EQ(summaries[1].stats.median, 8 / summaries[0].stats.median);
  EXPECT_DOUBLE_EQ(summaries[1].stats.p05, 8 / summaries[0].stats.p95);
  EXPECT_DOUBLE_EQ(summaries[1].stats.p95, 8 / summaries[0].stats.p05);
  EXPECT_DOUBLE_EQ(summaries[1].stats.max, 8);
}

TEST(SummarizeSamples, ABandwidthOfZeroLeavesItsMedianFinite) {
  const Sample samples[] = {{0, 0, "step", "busbw", 0, false}, {0, 1, "step", "busbw", 4, false}};
  const Stats stats = summarize_samples(samples)[0].stats;
  EXPECT_EQ(stats.mean, 0);
  EXPECT_EQ(stats.median, 2);
}

TEST(Metrics, HaveUnits) {
  EXPECT_EQ(unit_of_metric("time"), "ms");
  EXPECT_EQ(unit_of_metric("host_time"), "ms");
  EXPECT_EQ(unit_of_metric("peak_allocated_bytes"), "B");
  EXPECT_EQ(unit_of_metric("busbw"), "GB/s");
  EXPECT_EQ(unit_of_metric("in_place_busbw"), "GB/s");
  EXPECT_EQ(unit_of_metric("nobusbw"), "");
  EXPECT_EQ(unit_of_metric("figure.activation_bytes_per_token"), "B");
  EXPECT_EQ(unit_of_metric("loss"), "1");
  EXPECT_EQ(unit_of_metric("kernel_median"), "ms");
  EXPECT_EQ(unit_of_metric("kernel_calls"), "1");
  EXPECT_EQ(unit_of_metric("figure.parameters"), "1");
  EXPECT_EQ(unit_of_metric("figure.weight_bytes"), "B");
  EXPECT_EQ(unit_of_metric("fact.warm_ms"), "ms");
  EXPECT_EQ(unit_of_metric("fact.losses"), "1");  // ends in s, but not in _s
  EXPECT_EQ(unit_of_metric("made_up"), "");
}

TEST(SummarizeSamples, TheEnergyOfRanksAddsUp) {
  const std::vector<Sample> samples{{0, 1, "step", "energy", 3, false},
                                    {1, 1, "step", "energy", 4, false},
                                    {0, 2, "step", "energy", 5, false}};
  const auto summaries = summarize_samples(samples);
  EXPECT_EQ(summaries.at(0).stats.n, 2);
  EXPECT_DOUBLE_EQ(summaries.at(0).stats.max, 7);
  EXPECT_DOUBLE_EQ(summaries.at(0).stats.min, 5);
}

}  // namespace
}  // namespace sweepd
