#include "workloads/dist/buckets.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sweepd {
namespace {

TEST(Buckets, AreFilledInOrderUpToTheirSize) {
  struct Filling {
    std::vector<BucketItem> items;
    std::int64_t most;
    std::vector<std::vector<std::size_t>> expected;
  };
  const Filling cases[] = {
      {{}, 10, {}},
      {{{4}, {4}, {4}}, 8, {{0, 1}, {2}}},
      {{{4}, {4}, {4}}, 7, {{0}, {1}, {2}}},
      {{{4}, {4}, {4}}, 1000, {{0, 1, 2}}},
      {{{4}, {4}, {4}}, 0, {{0}, {1}, {2}}},
      {{{1}, {100}, {1}, {1}}, 10, {{0}, {1}, {2, 3}}},             // too large: alone
      {{{4, 0}, {4, 0}, {4, 1}, {4, 0}}, 100, {{0, 1}, {2}, {3}}},  // types are not mixed
  };
  for (const Filling& test : cases) {
    EXPECT_EQ(fill_buckets(test.items, test.most), test.expected) << test.most;
  }
}

// FORMULAS: T(n) = s / (n w) + n o is smallest at n = sqrt(s / (w o)).
TEST(BucketModel, HasItsLeastWhereTheFormulaSays) {
  const BucketModel model{1e6, 0.1};  // 1 GB/s, 0.1 ms a call
  const double total = 90e6;
  EXPECT_DOUBLE_EQ(model.exposed_ms(total, 1), 90.1);
  EXPECT_DOUBLE_EQ(model.exposed_ms(total, 90), 10);
  const double best = *model.best_bytes(total);
  EXPECT_DOUBLE_EQ(best, 3e6);  // 30 buckets
  for (const double n : {1.0, 29.0, 31.0, 900.0}) {
    EXPECT_GT(model.exposed_ms(total, n), model.exposed_ms(total, total / best)) << n;
  }
}

TEST(BucketModel, NeverWantsABucketLargerThanAll) {
  EXPECT_EQ(BucketModel({1e6, 1000}).best_bytes(8e6), 8e6);
  EXPECT_EQ(BucketModel({1e6, 0}).best_bytes(8e6), std::nullopt);
  EXPECT_EQ(BucketModel({1e6, -0.1}).best_bytes(8e6), std::nullopt);
}

TEST(BucketFit, FindsTheLineThatTimesLieOn) {
  std::vector<BucketTime> times;
  for (const std::int64_t bytes : {4'000, 1'000'000, 1'000'000, 25'000'000}) {
    times.push_back({bytes, static_cast<double>(bytes) / 2e6 + 0.3});
  }
  const BucketFit fit = fit_buckets(times);
  EXPECT_EQ(fit.refused, "");
  ASSERT_TRUE(fit.model);
  EXPECT_NEAR(fit.model->bytes_per_ms, 2e6, 1e-3);
  EXPECT_NEAR(fit.model->overhead_ms, 0.3, 1e-12);
  EXPECT_NEAR(fit.residual_ms, 0, 1e-12);
  EXPECT_NEAR(fit.explained, 1, 1e-12);
}

// By hand: bytes 1, 2, 3, 4 and ms 3, 4, 4, 6 have slope 0.9 and intercept 2. The residuals are
// 0.1, 0.2, -0.7 and 0.4, whose squares are 0.7 of the 4.75 about the mean.
TEST(BucketFit, IsTheLeastSquaresLineAndShowsWhatItLeaves) {
  const BucketFit fit = fit_buckets(std::vector<BucketTime>{{1, 3}, {2, 4}, {3, 4}, {4, 6}});
  EXPECT_EQ(fit.refused, "");
  ASSERT_TRUE(fit.model);
  EXPECT_NEAR(fit.model->bytes_per_ms, 1 / 0.9, 1e-12);
  EXPECT_NEAR(fit.model->overhead_ms, 2, 1e-12);
  EXPECT_NEAR(fit.residual_ms, std::sqrt(0.7 / 4), 1e-12);
  EXPECT_NEAR(fit.explained, 1 - 0.7 / 4.75, 1e-12);
}

TEST(BucketFit, SaysWhyItPredictsNothing) {
  const struct {
    std::vector<BucketTime> times;
    const char* why;
    bool fitted;
  } cases[] = {
      {{}, "0 buckets of 0 sizes; a fit needs at least 4 buckets of at least 3 sizes", false},
      {{{100, 1}}, "1 bucket of 1 size; a fit needs at least 4 buckets of at least 3 sizes", false},
      {{{1, 1}, {2, 2}, {3, 3}},
       "3 buckets of 3 sizes; a fit needs at least 4 buckets of at least 3 sizes",
       false},
      {{{1, 1}, {1, 1}, {2, 2}, {2, 2}},
       "4 buckets of 2 sizes; a fit needs at least 4 buckets of at least 3 sizes",
       false},
      {{{1, 4}, {2, 3}, {3, 2}, {4, 1}}, "larger buckets were not slower", false},
      {{{1, 2}, {2, 2}, {3, 2}, {4, 2}}, "larger buckets were not slower", false},
      {{{1, 1}, {2, 3}, {3, 5}, {4, 7}}, "an overhead below 0: -1 ms a call", true},
      {{{1, 5}, {2, 9}, {3, 4}, {4, 9}},
       "the line explains 12 % of the variation of the times, less than 80 %",
       true},
      {{{1, std::nan("")}, {2, 2}, {3, 3}, {4, 4}}, "larger buckets were not slower", false},
  };
  for (const auto& c : cases) {
    const BucketFit fit = fit_buckets(c.times);
    EXPECT_EQ(fit.refused, c.why);
    EXPECT_EQ(fit.model.has_value(), c.fitted) << c.why;
  }
}

}  // namespace
}  // namespace sweepd
