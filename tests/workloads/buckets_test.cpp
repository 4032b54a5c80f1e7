#include "workloads/dist/buckets.h"

#include <gtest/gtest.h>

namespace sweepd {
namespace {

TEST(Buckets, AreFilledInOrderUpToTheirSize) {
  struct Case {
    std::vector<BucketItem> items;
    std::int64_t most;
    std::vector<std::vector<std::size_t>> expected;
  };
  const Case cases[] = {
      {{}, 10, {}},
      {{{4}, {4}, {4}}, 8, {{0, 1}, {2}}},
      {{{4}, {4}, {4}}, 7, {{0}, {1}, {2}}},
      {{{4}, {4}, {4}}, 1000, {{0, 1, 2}}},
      {{{4}, {4}, {4}}, 0, {{0}, {1}, {2}}},
      {{{1}, {100}, {1}, {1}}, 10, {{0}, {1}, {2, 3}}},             // too large: alone
      {{{4, 0}, {4, 0}, {4, 1}, {4, 0}}, 100, {{0, 1}, {2}, {3}}},  // types stay apart
  };
  for (const Case& test : cases) {
    EXPECT_EQ(fill_buckets(test.items, test.most), test.expected) << test.most;
  }
}

// FORMULAS: T(n) = s / (n w) + n o, least at n = sqrt(s / (w o)).
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
  for (const std::int64_t bytes : {4'000, 1'000'000, 25'000'000}) {
    times.push_back({bytes, static_cast<double>(bytes) / 2e6 + 0.3});
  }
  const auto fit = fit_buckets(times);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->bytes_per_ms, 2e6, 1e-3);
  EXPECT_NEAR(fit->overhead_ms, 0.3, 1e-12);
}

// By hand: bytes 1, 2, 3 and ms 1, 2, 4 have slope 3 / 2 and intercept -2 / 3.
TEST(BucketFit, IsTheLeastSquaresLine) {
  const auto fit = fit_buckets(std::vector<BucketTime>{{1, 1}, {2, 2}, {3, 4}});
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->bytes_per_ms, 1 / 1.5, 1e-12);
  EXPECT_NEAR(fit->overhead_ms, -2.0 / 3, 1e-12);
}

TEST(BucketFit, NeedsTwoSizesAndALineThatRises) {
  EXPECT_FALSE(fit_buckets({}));
  EXPECT_FALSE(fit_buckets(std::vector<BucketTime>{{100, 1}}));
  EXPECT_FALSE(fit_buckets(std::vector<BucketTime>{{100, 1}, {100, 2}}));
  EXPECT_FALSE(fit_buckets(std::vector<BucketTime>{{100, 2}, {200, 1}}));
}

}  // namespace
}  // namespace sweepd
