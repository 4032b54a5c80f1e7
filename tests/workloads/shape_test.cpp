// Tests the model's formulas for sizes, parameters, FLOPs and bytes, without a tensor.
#include "workloads/nn/shape.h"
#include "tests/workloads/figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "workloads/nn/lm_params.h"

namespace sweepd {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct Size {
  const char* model;
  ModelShape shape;
  std::int64_t parameters;
};

class Sizes : public ::testing::TestWithParam<Size> {};

TEST_P(Sizes, HaveTheStatedNumbers) {
  EXPECT_EQ(model_shape(GetParam().model), GetParam().shape);
  EXPECT_EQ(GetParam().shape.parameters(), GetParam().parameters);
}

INSTANTIATE_TEST_SUITE_P(All, Sizes,
                         ::testing::Values(Size{"tiny", {64, 256, 2, 4, 10000}, 1411392},
                                           Size{"small", {768, 3072, 12, 12, 10000}, 128625408},
                                           Size{"medium", {1024, 4096, 24, 16, 10000}, 423183360},
                                           Size{"large", {1280, 5120, 36, 20, 10000}, 969411840},
                                           Size{"xl", {1600, 6400, 48, 25, 10000}, 1998235200},
                                           Size{"2.7B", {2560, 10240, 32, 32, 10000}, 3406809600}),
                         [](const auto& test) {
                           std::string name = test.param.model;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

double flops(const WorkPerStep& work, std::string_view phase) {
  for (const PhaseWork& part : work.phases) {
    if (part.phase == phase) return part.flops;
  }
  return -1;
}

TEST(LmWork, OfSmallAtContext256) {
  LmStepParams params;  // small, context 256, batch 4, fp32, train_step
  const WorkPerStep work = work_of(params, {});
  // T = 1024; 2T(12 (4*768^2 + 3*768*3072) + 10000*768) + 4*T*256*768*12
  constexpr double kLinear = 2048.0 * (12 * (4 * 768.0 * 768 + 3 * 768.0 * 3072) + 7680000);
  constexpr double kAttention = 4.0 * 1024 * 256 * 768 * 12;
  EXPECT_EQ(flops(work, "forward"), kLinear + kAttention);
  EXPECT_EQ(flops(work, "backward"), 2 * (kLinear + kAttention));
  EXPECT_EQ(flops(work, "optimizer"), 0);
  EXPECT_EQ(flops(work, "step"), 3 * (kLinear + kAttention));
  EXPECT_EQ(work.phases[2].bytes, 28.0 * 128625408);
  EXPECT_EQ(work.tokens, 1024);
  EXPECT_EQ(work.arithmetic, "fp32");
  EXPECT_EQ(figure(work, "parameters"), 128625408);
  EXPECT_EQ(figure(work, "weights_bytes"), 4.0 * 128625408);
  EXPECT_EQ(figure(work, "gradients_bytes"), 4.0 * 128625408);
  EXPECT_EQ(figure(work, "optimizer_state_bytes"), 8.0 * 128625408);
  EXPECT_EQ(figure(work, "training_state_bytes"), 16.0 * 128625408);
  EXPECT_EQ(figure(work, "parameters_without_embedding"), 120945408);
  EXPECT_EQ(figure(work, "d_model"), 768);
  EXPECT_EQ(figure(work, "d_ff"), 3072);
  EXPECT_EQ(figure(work, "layers"), 12);
  EXPECT_EQ(figure(work, "heads"), 12);
  EXPECT_EQ(figure(work, "residual_stream_bytes"), 4.0 * 1024 * 768);
  EXPECT_EQ(figure(work, "layer_scores_bytes"), 4.0 * 4 * 12 * 256 * 256);
  EXPECT_EQ(figure(work, "forward_flops_full"), kLinear + kAttention);
  EXPECT_EQ(figure(work, "forward_flops_causal"), kLinear + kAttention / 2);
}

TEST(LmWork, FollowsTheMode) {
  LmStepParams params;
  params.mode = "forward";
  WorkPerStep work = work_of(params, {});
  EXPECT_EQ(flops(work, "step"), flops(work, "forward"));
  EXPECT_EQ(flops(work, "backward"), -1);
  EXPECT_EQ(figure(work, "gradients_bytes"), 0);
  EXPECT_EQ(figure(work, "training_state_bytes"), 16.0 * 128625408) << "what training would take";
  params.mode = "forward_backward";
  work = work_of(params, {});
  EXPECT_EQ(flops(work, "step"), 3 * flops(work, "forward"));
  EXPECT_EQ(flops(work, "optimizer"), -1);
  EXPECT_EQ(figure(work, "optimizer_state_bytes"), 0);
}

// Attention in one kernel keeps no scores, so its backward computes that product of the forward
// again.
TEST(LmWork, ModelFlopsDoNotDependOnTheKernelOfAttention) {
  LmStepParams params;
  constexpr double kAttention = 4.0 * 1024 * 256 * 768 * 12;
  const WorkPerStep naive = work_of(params, {});
  params.attention = "flash";
  const WorkPerStep flash = work_of(params, {});
  for (const std::size_t phase : {1, 3}) {
    EXPECT_EQ(naive.phases[phase].recomputed_flops, 0);
    EXPECT_EQ(flash.phases[phase].recomputed_flops, kAttention / 2);
    EXPECT_EQ(flash.phases[phase].model_flops(), naive.phases[phase].flops);
  }
}

TEST(LmWork, FollowsThePrecision) {
  LmStepParams params;
  params.precision = "bf16";  // autocast: weights stay fp32, scores are bf16
  WorkPerStep work = work_of(params, {});
  EXPECT_EQ(work.arithmetic, "bf16");
  EXPECT_EQ(figure(work, "weights_bytes"), 4.0 * 128625408);
  EXPECT_EQ(figure(work, "layer_scores_bytes"), 2.0 * 4 * 12 * 256 * 256);
  params.precision = "bf16_pure";
  work = work_of(params, {});
  EXPECT_EQ(work.arithmetic, "bf16");
  EXPECT_EQ(figure(work, "weights_bytes"), 2.0 * 128625408);
  EXPECT_EQ(work.phases[2].bytes, 14.0 * 128625408);
}

TEST(LmWork, OfXlIsKnownWithoutAllocatingIt) {
  LmStepParams params;
  params.model = "xl";
  EXPECT_EQ(figure(work_of(params, {}), "parameters"), 1998235200);
}

TEST(LmShape, NumbersGivenOneByOneGoOnTopOfTheModel) {
  LmStepParams params;
  params.model = "tiny";
  params.layers = 5;
  EXPECT_EQ(shape_of(params), (ModelShape{64, 256, 5, 4, 10000}));
  params.vocab = 512;
  EXPECT_EQ(shape_of(params), (ModelShape{64, 256, 5, 4, 512}));
}

std::string message_of(const LmStepParams& params) {
  try {
    work_of(params, {});
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(LmShape, MistakesNameTheParameter) {
  LmStepParams params;
  params.model = "custom";
  params.d_model = 64;
  params.layers = 2;
  EXPECT_EQ(message_of(params),
            "model: `custom` needs d_model, d_ff, layers and heads; missing d_ff, heads");
  params.d_ff = 128;
  params.heads = 3;
  EXPECT_EQ(message_of(params), "heads: 3 does not divide d_model 64");
  params.heads = 64;
  EXPECT_THAT(message_of(params), AllOf(HasSubstr("head dimension 1"), HasSubstr("even")));
  params.heads = 4;
  EXPECT_EQ(message_of(params), "accepted");
  params.precision = "fp8";
  EXPECT_THAT(message_of(params), HasSubstr("`fp8`"));
}

}  // namespace
}  // namespace sweepd
