#include "workloads/parallelism/plan.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/parallelism/plans.h"

namespace sweepd::parallelism {
namespace {

TEST(ParallelismModel, HasTheParametersOfTheAccountingProblem) {
  const Model xxl = accounting().model;
  EXPECT_EQ(xxl.parameters(), 219'848'638'464);
  EXPECT_EQ(2 * xxl.saved_per_token_and_block() * xxl.layers, 17'547'264);  // bf16
  EXPECT_EQ(xxl.flops_per_token(), 2.0 * 219'848'638'464);
}

TEST(ParallelismModel, CountsAWholeLanguageModelAsLmStepDoes) {
  const Model large{.d_model = 1280,
                    .d_ff = 5120,
                    .layers = 36,
                    .matrices = 3,
                    .parts = Parts::kAll,
                    .vocab = 10000,
                    .context = 256};
  EXPECT_EQ(large.parameters(),
            36LL * (4 * 1280 * 1280 + 3 * 1280 * 5120 + 2 * 1280) + 1280 + 2 * 10000 * 1280);
  EXPECT_EQ(large.flops_per_token(),
            2.0 * (36.0 * (4.0 * 1280 * 1280 + 3.0 * 1280 * 5120) + 10000.0 * 1280) +
                4.0 * 256 * 1280 * 36);
  EXPECT_EQ(large.saved_per_token_and_block(), 8 * 1280 + 3 * 5120);
}

TEST(ParallelismPlan, TakesTheTimesOfTheAccountingProblem) {
  const Times t = times(accounting());
  EXPECT_DOUBLE_EQ(t.compute_s, 4.0 * 16384 * 53248 * 126 * 25302 / (64 * 4.6e14));
  EXPECT_DOUBLE_EQ(t.fsdp_s, 4.0 * 16384 * 53248 * 126 / (4 * 1.8e11 * 2));
  EXPECT_DOUBLE_EQ(t.tensor_s, 4.0 * 25302 * 16384 * 126 / (16 * 1.8e11));
  EXPECT_DOUBLE_EQ(t.communication_s, t.fsdp_s + t.tensor_s);
  EXPECT_EQ(t.bubble_s, 0);
  EXPECT_EQ(t.step_s, t.compute_s);
  EXPECT_STREQ(bound(t), "compute");
}

TEST(ParallelismPlan, NamesTheTransferThatBounds) {
  struct Row {
    Degrees degrees;
    double tokens;
    const char* bound;
  };
  const Row rows[] = {{{1, 1, 1, 1}, 1, "compute"},    {{1, 64, 1, 1}, 1000, "fsdp"},
                      {{1, 1, 64, 1}, 1e6, "tensor"},  {{64, 1, 1, 1}, 1000, "data"},
                      {{1, 64, 1, 1}, 1e6, "compute"}, {{1, 16, 4, 1}, 25301, "fsdp"}};
  for (const Row& row : rows) {
    Plan plan = accounting();
    plan.degrees = row.degrees;
    plan.tokens = row.tokens;
    plan.timed = row.degrees.data > 1 ? Timed::kTrainStep : Timed::kForward;
    EXPECT_STREQ(bound(times(plan)), row.bound) << row.tokens;
  }
}

TEST(ParallelismPlan, LosesAStageOfAPipelineToTheBubbleForEachMicrobatch) {
  Plan plan = all_kinds();
  const Times t = times(plan);
  EXPECT_DOUBLE_EQ(t.bubble_s, t.compute_s * 2 / 8);
  EXPECT_DOUBLE_EQ(t.step_s, std::max(t.compute_s, t.communication_s) + t.bubble_s);
  plan.transfers = Transfers::kOverlap;
  const Times at_once = times(plan);
  EXPECT_EQ(at_once.communication_s, std::max({t.fsdp_s, t.tensor_s, t.data_s, t.pipeline_s}));
}

// Summed over the devices, every byte of state exists once for each replica, for any degrees. The
// same holds for the activations while every microbatch is alive on some stage.
TEST(ParallelismMemory, IsConservedOverDegrees) {
  Plan whole = accounting();
  whole.degrees = {};
  const Memory one = memory(whole);
  EXPECT_EQ(one.weights + one.gradients + one.optimizer, 16.0 * 219'848'638'464);
  EXPECT_EQ(one.activations, 17'547'264.0 * 25302);
  for (const std::int64_t data : {1, 3}) {
    for (const std::int64_t fsdp : {1, 2, 16}) {
      for (const std::int64_t tensor : {1, 4}) {
        for (const std::int64_t pipeline : {1, 2, 7}) {  // of 126 blocks
          Plan cut = whole;
          cut.degrees = {data, fsdp, tensor, pipeline};
          const Memory held = memory(cut);
          const auto devices = static_cast<double>(cut.degrees.devices());
          const auto replicas = static_cast<double>(data);
          EXPECT_NEAR(held.weights * devices / replicas / one.weights, 1, 1e-12);
          EXPECT_NEAR(held.gradients * devices / replicas / one.gradients, 1, 1e-12);
          EXPECT_NEAR(held.optimizer * devices / replicas / one.optimizer, 1, 1e-12);
          EXPECT_NEAR(held.activations * devices / one.activations, 1, 1e-12);
        }
      }
    }
  }
}

TEST(ParallelismMemory, NeverGrowsWithDevices) {
  for (const double sharding : {0.0, 0.5, 1.0}) {
    double before = INFINITY;
    for (std::int64_t fsdp = 1; fsdp <= 200; ++fsdp) {
      Plan plan = accounting();
      plan.degrees = {.fsdp = fsdp};
      plan.activation_sharding = sharding;
      plan.tokens_per_device = 1000;
      const double now = memory(plan).total();
      EXPECT_LT(now, before) << fsdp;
      before = now;
    }
  }
}

TEST(ParallelismMemory, HoldsTheMicrobatchesInFlightOfAPipeline) {
  Plan plan = accounting();
  plan.degrees = {.pipeline = 3};
  const double all = memory(plan).activations;
  plan.microbatches = 12;
  EXPECT_DOUBLE_EQ(memory(plan).activations, all * 3 / 12);
  plan.microbatches = 2;
  EXPECT_DOUBLE_EQ(memory(plan).activations, all);
  plan.degrees.pipeline = 4;  // 126 blocks: the largest stage has 32
  EXPECT_DOUBLE_EQ(memory(plan).activations, 2.0 * (16384 + 53248) * 32 * 25302);
}

}  // namespace
}  // namespace sweepd::parallelism
