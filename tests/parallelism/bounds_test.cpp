// Compares the closed forms with a plain search over the same times and memory.
#include "workloads/parallelism/bounds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/parallelism/plans.h"

namespace sweepd::parallelism {
namespace {

bool compute_bound_at(Plan plan, double tokens) {
  plan.tokens = tokens;
  return times(plan).compute_bound();
}

TEST(ParallelismBounds, AnswerTheAccountingProblem) {
  Plan plan = accounting();
  EXPECT_EQ(whole_tokens(*compute_bound_tokens(plan)), 25302);
  const Split whole = *best_split(plan);
  EXPECT_EQ(whole.fsdp, 8);
  EXPECT_EQ(whole.tensor, 8);
  EXPECT_EQ(whole_tokens(whole.tokens), 16594);
  const Split real = *best_continuous_split(plan);
  EXPECT_NEAR(real.tensor, 53248 * 1.8e11 / (2 * 4.6e14), 1e-9);  // F W M_Y / (2 C)
  EXPECT_NEAR(real.fsdp * real.tensor, 64, 1e-9);
  EXPECT_NEAR(real.tokens, 4 * 64 * 4.6e14 * 4.6e14 / (1.8e11 * 1.8e11 * 2 * 53248), 1e-6);

  plan.transfers = Transfers::kOverlap;
  EXPECT_EQ(whole_tokens(*compute_bound_tokens(plan)), 20445);
  EXPECT_EQ(best_split(plan)->fsdp, 4);
  EXPECT_EQ(best_split(plan)->tensor, 16);
  EXPECT_EQ(whole_tokens(best_split(plan)->tokens), 5112);
  EXPECT_NEAR(best_continuous_split(plan)->tensor, 53248 * 1.8e11 / 4.6e14, 1e-9);
}

// Meshes of powers of two up to 16 by 16, with both readings and both parts of the step.
std::vector<Plan> meshes() {
  std::vector<Plan> all;
  for (const Transfers transfers : {Transfers::kAdd, Transfers::kOverlap}) {
    for (const Timed timed : {Timed::kForward, Timed::kTrainStep}) {
      for (const std::int64_t data : {1, 4}) {
        for (const std::int64_t pipeline : {1, 3}) {
          for (std::int64_t fsdp = 1; fsdp <= 16; fsdp *= 2) {
            for (std::int64_t tensor = 1; tensor <= 16; tensor *= 2) {
              Plan plan = accounting();
              plan.transfers = transfers;
              plan.timed = timed;
              plan.degrees = {data, fsdp, tensor, pipeline};
              all.push_back(plan);
            }
          }
        }
      }
    }
  }
  return all;
}

TEST(ParallelismBounds, FindTheFirstTokenThatASearchFinds) {
  for (const Plan& plan : meshes()) {
    const auto closed = compute_bound_tokens(plan);
    if (!closed) {
      EXPECT_FALSE(compute_bound_at(plan, 1e15));
      continue;
    }
    double low = 0, high = 1e9;  // low is not bound by compute, high is
    ASSERT_TRUE(compute_bound_at(plan, high));
    while (high - low > 1) {
      const double middle = std::floor((low + high) / 2);
      (compute_bound_at(plan, middle) ? high : low) = middle;
    }
    EXPECT_EQ(whole_tokens(*closed), high);
  }
}

TEST(ParallelismBounds, FindTheContinuousSplitThatAFineSearchFinds) {
  for (const std::int64_t data : {1, 8}) {
    for (const Transfers transfers : {Transfers::kAdd, Transfers::kOverlap}) {
      Plan plan = accounting();
      plan.timed = Timed::kTrainStep;
      plan.transfers = transfers;
      plan.degrees.data = data;
      const Split closed = *best_continuous_split(plan);
      // Transfers at a real Y, scaled from the times at X = 8, Y = 8: FSDP ~ 1 / Y, tensor ~ Y.
      Plan at = plan;
      at.degrees.fsdp = at.degrees.tensor = 8;
      const Costs c = costs(at);
      double best = INFINITY;
      for (double y = 1; y <= 64; y += 1e-3) {
        const double fixed = c.fsdp.fixed_s * 8 / y, per_token = c.tensor.per_token_s * y / 8;
        const double compute = c.compute.per_token_s;
        const bool sums = transfers == Transfers::kAdd;
        if (per_token >= compute) break;
        best = std::min(best, sums ? (fixed + c.data.fixed_s) / (compute - per_token)
                                   : std::max(fixed, c.data.fixed_s) / compute);
      }
      EXPECT_NEAR(closed.tokens / best, 1, 1e-3) << data;
      EXPECT_LE(closed.tokens, best * (1 + 1e-9)) << data;
    }
  }
}

TEST(ParallelismBounds, FindTheFewestTokensOfAllSplits) {
  for (const Plan& plan : meshes()) {
    const std::int64_t n = plan.degrees.fsdp * plan.degrees.tensor;
    double fewest = INFINITY;
    for (std::int64_t tensor = 1; tensor <= n; ++tensor) {
      if (n % tensor != 0) continue;
      Plan split = plan;
      split.degrees.tensor = tensor;
      split.degrees.fsdp = n / tensor;
      fewest = std::min(fewest, compute_bound_tokens(split).value_or(INFINITY));
    }
    const auto best = best_split(plan);
    EXPECT_EQ(best ? best->tokens : INFINITY, fewest);
    if (best) {
      EXPECT_EQ(best->fsdp * best->tensor, static_cast<double>(n));
    }
  }
}

// Question (b): half of the activations sharded, T tokens on a device, 95 GB.
TEST(ParallelismBounds, FindTheSmallestFsdpOfTheAccountingProblem) {
  struct Row {
    double tokens_per_device;
    std::optional<std::int64_t> fsdp;
  };
  for (const auto& [tokens, fsdp] : {Row{1, 38}, Row{1024, 41}, Row{2048, 46}, Row{4096, 61},
                                     Row{8192, 156}, Row{10828, std::nullopt}}) {
    Plan plan = accounting();
    plan.degrees = {};
    plan.tokens_per_device = tokens;
    plan.activation_sharding = 0.5;
    EXPECT_EQ(smallest_fsdp(plan), fsdp) << tokens;
    if (!fsdp) continue;
    const double state = 16.0 * 219'848'638'464, a = 17'547'264 * tokens;
    EXPECT_EQ(std::ceil((state + a / 2) / (95e9 - a / 2)), static_cast<double>(*fsdp)) << tokens;
  }
}

TEST(ParallelismBounds, NeedFewerDevicesWhenTheBatchIsSharedAmongThem) {
  Plan plan = accounting();
  plan.degrees = {};
  plan.tokens = 100'000;
  const std::int64_t fsdp = *smallest_fsdp(plan);
  plan.degrees.fsdp = fsdp;
  EXPECT_LE(memory(plan).total(), 95e9);
  plan.degrees.fsdp = fsdp - 1;
  EXPECT_GT(memory(plan).total(), 95e9);
}

}  // namespace
}  // namespace sweepd::parallelism
