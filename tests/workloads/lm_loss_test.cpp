// Compares the numbers of lm_step with the reference in reference_lm.h.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/workloads/lm_fixture.h"
#include "workloads/api/failure.h"

namespace sweepd {
namespace {

using ::testing::DoubleNear;
using ::testing::Not;
using ::testing::Pointwise;

// Checks the reference's own backward by central differences of its forward.
TEST(ReferenceLm, GradientsAreThoseOfTheLoss) {
  const LmStepParams params = small_case();
  const Training start(params, at::kCPU, 3);
  const reference::Shape shape = reference_shape(params);
  const reference::Batch batch = reference_batch(start);
  reference::Tensors weights = reference_weights(start.model()), gradients;
  reference::loss(shape, weights, batch, &gradients);
  for (auto& [name, weight] : weights) {
    for (const std::size_t i : {std::size_t{0}, weight.size() / 2, weight.size() - 1}) {
      const double original = weight[i], h = 1e-5;
      weight[i] = original + h;
      const double above = reference::loss(shape, weights, batch, nullptr);
      weight[i] = original - h;
      const double below = reference::loss(shape, weights, batch, nullptr);
      weight[i] = original;
      EXPECT_NEAR(gradients[name][i], (above - below) / (2 * h), 1e-8) << name << "[" << i << "]";
    }
  }
}

TEST(LmLoss, ThreeAdamWStepsEqualTheReference) {
  for (const char* attention : {"naive", "sdpa_math", "sdpa_flash", "flash"}) {
    LmStepParams params = small_case();
    params.attention = attention;
    const std::vector<double> expected = reference_losses(params, 4);
    EXPECT_THAT(losses(params, 4), Pointwise(DoubleNear(1e-5), expected)) << attention;
    // The steps must move, or the comparison would hold for an optimizer that does nothing.
    EXPECT_GT(std::abs(expected[3] - expected[0]), 0.1);
  }
}

TEST(LmLoss, EveryGradientEqualsTheReference) {
  LmStepParams params = small_case();
  params.mode = "forward_backward";
  for (const char* attention : {"naive", "sdpa_math", "sdpa_flash", "flash"}) {
    params.attention = attention;
    Training training(params, at::kCPU, 1);
    RecordedPhases phases;
    training.step(phases);
    training.step(phases);  // a second backward replaces the gradients and does not add to them
    reference::Tensors gradients;
    reference::loss(reference_shape(params), reference_weights(training.model()),
                    reference_batch(training), &gradients);
    for (const NamedTensor& parameter : training.model().parameters()) {
      EXPECT_THAT(to_vector(parameter.tensor.grad()),
                  Pointwise(DoubleNear(1e-6), gradients[parameter.name]))
          << attention << " " << parameter.name;
    }
  }
}

TEST(LmLoss, TheOptimizersAgree) {
  LmStepParams params = small_case();
  const std::vector<double> expected = reference_losses(params, 6);
  for (const char* optimizer : {"adamw_fused", "adamw_foreach", "adamw_loop"}) {
    params.optimizer = optimizer;
    EXPECT_THAT(losses(params, 6), Pointwise(DoubleNear(1e-5), expected)) << optimizer;
  }
}

struct LowPrecision {
  const char* precision;
  const char* attention;
  double allowed;  // at a loss near 3.7: some units of the type's last place
};

class LmLowPrecision : public ::testing::TestWithParam<LowPrecision> {};

TEST_P(LmLowPrecision, AgreesToThePrecisionOfTheType) {
  LmStepParams params = small_case();
  params.attention = GetParam().attention;
  params.precision = GetParam().precision;
  // In double, from the same first weights, which bf16_pure has already rounded.
  const std::vector<double> expected = reference_losses(params, 4);
  const std::vector<double> got = losses(params, 4);
  EXPECT_THAT(got, Pointwise(DoubleNear(GetParam().allowed), expected));
  EXPECT_THAT(got, Not(Pointwise(DoubleNear(1e-6), expected)));  // not fp32 under another name
}

INSTANTIATE_TEST_SUITE_P(
    Types, LmLowPrecision,
    ::testing::Values(LowPrecision{"bf16", "naive", 0.03}, LowPrecision{"bf16", "sdpa_math", 0.03},
                      LowPrecision{"bf16", "sdpa_flash", 0.03}, LowPrecision{"bf16", "flash", 0.03},
                      LowPrecision{"bf16_pure", "naive", 0.06},
                      LowPrecision{"bf16_pure", "sdpa_flash", 0.06},
                      LowPrecision{"bf16_pure", "flash", 0.06},
                      LowPrecision{"fp16", "naive", 0.004}, LowPrecision{"fp16", "flash", 0.004},
                      LowPrecision{"fp16", "sdpa_math", 0.004}),
    [](const auto& test) {
      return std::string(test.param.precision) + "_" + test.param.attention;
    });

TEST(LmLoss, TheSameSeedGivesTheSameLossAndAnotherSeedAnother) {
  const LmStepParams params = small_case();
  EXPECT_EQ(losses(params, 3, 7), losses(params, 3, 7));
  EXPECT_NE(losses(params, 1, 7), losses(params, 1, 8));
}

}  // namespace
}  // namespace sweepd
