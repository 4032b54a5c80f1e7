#include "runner/report/cell/pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>

namespace sweepd::report {
namespace {

using ::testing::HasSubstr;

ResultRow attempt(std::vector<double> samples) {
  ResultRow row;
  row.stats = summarize(samples);
  row.samples = std::move(samples);
  return row;
}

std::vector<const ResultRow*> pointers(const std::vector<ResultRow>& rows) {
  std::vector<const ResultRow*> out;
  out.reserve(rows.size());
  for (const ResultRow& row : rows) out.push_back(&row);
  return out;
}

std::optional<double> figure(const Pooled& pooled, std::string_view name) {
  const auto value = Figures(pooled, "ms", {}).get(name);
  EXPECT_TRUE(value) << name;
  return value ? *value : std::nullopt;
}

bool near(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max({1.0, std::abs(a), std::abs(b)});
}

TEST(Pool, OneAttemptIsItsOwnStatistics) {
  const std::vector<ResultRow> rows{attempt({1, 2, 3, 4})};
  const Pooled pooled = pool(pointers(rows));
  EXPECT_EQ(pooled.stats.n, 4);
  EXPECT_DOUBLE_EQ(pooled.stats.median, 2.5);
  EXPECT_TRUE(pooled.order_known);
}

// A mean of 10 from ten samples and a mean of 20 from thirty give 17.5, not 15.
TEST(Pool, MeansAreWeightedBySamples) {
  std::vector<ResultRow> rows(2);
  rows[0].stats = {10, 10, 0, 10, 10, 10, 10, 10, 0};
  rows[1].stats = {30, 20, 0, 20, 20, 20, 20, 20, 0};
  const Pooled pooled = pool(pointers(rows));
  EXPECT_DOUBLE_EQ(pooled.stats.mean, 17.5);
  // All spread is between the attempts: 10 * 7.5^2 + 30 * 2.5^2 = 750 over 39.
  EXPECT_DOUBLE_EQ(pooled.stats.std, std::sqrt(750.0 / 39.0));
  EXPECT_EQ(pooled.stats.min, 10);
  EXPECT_EQ(pooled.stats.max, 20);
}

// Pooling the summaries gives the same as all samples together.
TEST(Pool, SummariesPoolExactly) {
  EXPECT_TRUE(rc::check([] {
    const auto scale = *rc::gen::element(1e-3, 1.0, 1e4);
    std::vector<ResultRow> rows, bare;
    std::vector<double> all;
    const int attempts = *rc::gen::inRange(1, 6);
    for (int i = 0; i < attempts; ++i) {
      const auto raw = *rc::gen::nonEmpty<std::vector<int>>(
          rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 100000)));
      std::vector<double> samples;
      samples.reserve(raw.size());
      for (const int value : raw) samples.push_back(value * scale);
      all.insert(all.end(), samples.begin(), samples.end());
      rows.push_back(attempt(samples));
      bare.push_back(rows.back());
      bare.back().samples.clear();
    }
    const Stats expected = summarize(all);
    const Stats pooled = pool(pointers(bare)).stats;
    RC_ASSERT(pooled.n == expected.n);
    RC_ASSERT(near(pooled.mean, expected.mean));
    RC_ASSERT(near(pooled.std, expected.std));
    RC_ASSERT(pooled.min == expected.min);
    RC_ASSERT(pooled.max == expected.max);
    const Pooled with_samples = pool(pointers(rows));
    RC_ASSERT(with_samples.order_known);
    RC_ASSERT(with_samples.stats.median == expected.median);
    RC_ASSERT(with_samples.stats.p95 == expected.p95);
    RC_ASSERT(with_samples.stats.mad == expected.mad);
  }));
}

TEST(Pool, OrderStatisticsWithoutSamplesAreRefusedNotGuessed) {
  std::vector<ResultRow> rows{attempt({1, 2, 3}), attempt({7, 8, 9})};
  for (ResultRow& row : rows) row.samples.clear();
  const Pooled pooled = pool(pointers(rows));
  const auto median = Figures(pooled, "ms", {}).get("median");
  ASSERT_FALSE(median);
  EXPECT_THAT(median.error().message, HasSubstr("median of several attempts"));
  EXPECT_DOUBLE_EQ(*figure(pooled, "mean"), 5);
}

// With one value per attempt (a peak of memory), the summary is the sample.
TEST(Pool, SingleValuesAreTheirOwnSamples) {
  std::vector<ResultRow> rows{attempt({5}), attempt({9}), attempt({7})};
  for (ResultRow& row : rows) row.samples.clear();
  EXPECT_DOUBLE_EQ(*figure(pool(pointers(rows)), "median"), 7);
}

TEST(Pool, TheWorstVerdictCounts) {
  std::vector<ResultRow> rows{attempt({1}), attempt({2}), attempt({3})};
  rows[1].verdict = Verdict::kInvalid;
  rows[2].verdict = Verdict::kSuspect;
  EXPECT_EQ(pool(pointers(rows)).verdict, Verdict::kInvalid);
}

TEST(Figures, RatesAreOfTheTimeThatIsShown) {
  std::vector<ResultRow> rows{attempt({10, 10, 100})};  // ms; the outlier moves the mean to 40
  rows[0].flops = 5e12;
  rows[0].bytes = 2e10;
  rows[0].tokens = 2048;
  rows[0].peak_flops_per_s = 1e15;
  rows[0].peak_bytes_per_s = 4e12;
  const Pooled pooled = pool(pointers(rows));
  EXPECT_DOUBLE_EQ(*figure(pooled, "tflops"), 125);
  EXPECT_DOUBLE_EQ(*figure(pooled, "gbps"), 500);
  EXPECT_DOUBLE_EQ(*figure(pooled, "tokens_per_s"), 51200);
  EXPECT_DOUBLE_EQ(*figure(pooled, "mfu"), 0.125);
  EXPECT_DOUBLE_EQ(*figure(pooled, "bandwidth_share"), 0.125);
  const Figures by_median(pooled, "ms", {}, {}, RateBasis::kMedian);
  EXPECT_DOUBLE_EQ(**by_median.get("tflops"), 500);
  EXPECT_DOUBLE_EQ(**by_median.get("tokens_per_s"), 204800);
}

TEST(Figures, TokensPerJouleAreByTheEnergyThatIsShown) {
  std::vector<ResultRow> rows{attempt({1, 1, 10})};  // J; the mean is 4
  rows[0].flops = 5e12;
  rows[0].tokens = 2048;
  const Pooled pooled = pool(pointers(rows), "energy");
  const Figures by_mean(pooled, "J", {});
  EXPECT_DOUBLE_EQ(**by_mean.get("tokens_per_joule"), 512);
  EXPECT_EQ(*by_mean.get("tokens_per_s"), std::nullopt) << "a joule is no second";
  EXPECT_EQ(*by_mean.get("tflops"), std::nullopt);
  const Figures by_median(pooled, "J", {}, {}, RateBasis::kMedian);
  EXPECT_DOUBLE_EQ(**by_median.get("tokens_per_joule"), 2048);
  EXPECT_EQ(figure(pooled, "tokens_per_joule"), std::nullopt) << "a millisecond is no joule";
}

// Flash computes its scores again in the backward: the hardware does that work, the model does not
// need it.
TEST(Figures, ModelFlopsLeaveOutWhatIsComputedAgain) {
  std::vector<ResultRow> rows{attempt({10})};  // ms
  rows[0].flops = 5e12;
  rows[0].recomputed_flops = 1e12;
  rows[0].peak_flops_per_s = 1e15;
  const Pooled pooled = pool(pointers(rows));
  EXPECT_DOUBLE_EQ(*figure(pooled, "tflops"), 400);
  EXPECT_DOUBLE_EQ(*figure(pooled, "hardware_tflops"), 500);
  EXPECT_DOUBLE_EQ(*figure(pooled, "mfu"), 0.4);
  EXPECT_DOUBLE_EQ(*figure(pooled, "hfu"), 0.5);
  EXPECT_DOUBLE_EQ(*figure(pooled, "reached"), 0.5) << "the roofline is of what the hardware does";
}

TEST(Figures, TheFloorIsWhatTheSlowerOfTwoPeaksAllows) {
  std::vector<ResultRow> rows{attempt({10})};  // ms
  rows[0].flops = 4e12;
  rows[0].bytes = 1e10;
  rows[0].peak_flops_per_s = 1e15;  // 4 ms
  rows[0].peak_bytes_per_s = 4e12;  // 2.5 ms
  EXPECT_DOUBLE_EQ(*figure(pool(pointers(rows)), "floor"), 4);
  EXPECT_DOUBLE_EQ(*figure(pool(pointers(rows)), "reached"), 0.4);
  rows[0].bytes = 2e10;
  EXPECT_DOUBLE_EQ(*figure(pool(pointers(rows)), "floor"), 5);
  EXPECT_DOUBLE_EQ(*figure(pool(pointers(rows)), "reached"), 0.5);
  const Pooled pooled = pool(pointers(rows));
  EXPECT_DOUBLE_EQ(**Figures(pooled, "ms", *conversion("ms", "us")).get("floor"), 5000);
  rows[0].peak_bytes_per_s = 0;
  EXPECT_EQ(figure(pool(pointers(rows)), "floor"), std::nullopt) << "memory may be the limit";
  rows[0].bytes = 0;
  EXPECT_DOUBLE_EQ(*figure(pool(pointers(rows)), "floor"), 4);
  EXPECT_EQ(*Figures(pooled, "B", {}).get("floor"), std::nullopt) << "bytes are no time";
}

// Two attempts of one and three operations: 1 GB in 1 s, and in 0.25 s, 1 s and 2 s. That is four
// gigabytes in 4.25 s, not the mean of the rates, 1.6 GB/s.
TEST(Pool, ABandwidthIsBytesByMeanTime) {
  std::vector<ResultRow> rows{attempt({1}), attempt({4, 1, 0.5})};
  for (ResultRow& row : rows) row.stats = summarize_metric("busbw", row.samples);
  EXPECT_DOUBLE_EQ(rows[1].stats.mean, 3 / 3.25);
  EXPECT_DOUBLE_EQ(pool(pointers(rows), "busbw").stats.mean, 4 / 4.25);
  for (ResultRow& row : rows) row.samples.clear();
  EXPECT_DOUBLE_EQ(pool(pointers(rows), "busbw").stats.mean, 4 / 4.25) << "from summaries alone";
  EXPECT_DOUBLE_EQ(pool(pointers(rows), "busbw").stats.max, 4);
}

// Two attempts with squares of 2 each about the same mean, and three degrees of freedom.
TEST(Pool, TheSpreadOfABandwidthIsAboutItsMean) {
  std::vector<ResultRow> rows(2);
  for (ResultRow& row : rows) {
    row.stats.n = 2;
    row.stats.mean = 2;
    row.stats.std = std::sqrt(2);
  }
  EXPECT_DOUBLE_EQ(pool(pointers(rows), "busbw").stats.std, std::sqrt(4.0 / 3));
}

TEST(Figures, WhatCannotBeKnownIsMissing) {
  std::vector<ResultRow> rows{attempt({10})};
  rows[0].flops = 5e12;
  const Pooled pooled = pool(pointers(rows));
  EXPECT_EQ(figure(pooled, "mfu"), std::nullopt) << "the peak is unknown";
  EXPECT_EQ(figure(pooled, "tokens_per_s"), std::nullopt);
  EXPECT_EQ(figure(pooled, "std"), std::nullopt) << "one value has no spread";
  EXPECT_EQ(*Figures(pooled, "B", {}).get("tflops"), std::nullopt) << "bytes are no time";
}

// A pooled rate needs one amount of work, but two different trials have two.
TEST(Figures, RatesOfDifferentWorkAreMissing) {
  std::vector<ResultRow> rows{attempt({10}), attempt({10})};
  rows[0].flops = 1e12;
  rows[1].flops = 2e12;
  EXPECT_EQ(figure(pool(pointers(rows)), "tflops"), std::nullopt);
}

TEST(Figures, ConversionLeavesTheCountAlone) {
  const std::vector<ResultRow> rows{attempt({1000, 3000})};
  const Pooled pooled = pool(pointers(rows));
  const Figures seconds(pooled, "ms", {1, 1000});
  EXPECT_DOUBLE_EQ(**seconds.get("mean"), 2);
  EXPECT_DOUBLE_EQ(**seconds.get("max"), 3);
  EXPECT_DOUBLE_EQ(**seconds.get("sum"), 4);
  EXPECT_DOUBLE_EQ(**seconds.get("n"), 2);
}

}  // namespace
}  // namespace sweepd::report
