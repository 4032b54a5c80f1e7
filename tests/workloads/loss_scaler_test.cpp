// Tests fp16's loss scaling: an overflow skips the update and halves the scale, for every
// optimizer.
#include "workloads/nn/loss_scaler.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/workloads/lm_fixture.h"
#include "workloads/nn/adamw.h"

namespace sweepd {
namespace {

at::Tensor parameter() {
  return at::tensor({1.0F, 2.0F}).set_requires_grad(true);
}

TEST(LossScaler, UnscalesFiniteGradients) {
  LossScaler scaler(at::kCPU);
  at::Tensor weight = parameter();
  scaler.scale(weight.sum()).backward();
  EXPECT_EQ(weight.grad()[0].item<float>(), 65536);
  EXPECT_EQ(scaler.unscale({weight.grad()}).item<float>(), 0);
  EXPECT_EQ(weight.grad()[0].item<float>(), 1);
  scaler.update();
  EXPECT_EQ(scaler.current(), 65536);
}

TEST(LossScaler, AnOverflowSkipsTheUpdateAndHalvesTheScale) {
  for (const auto kind : {AdamWKind::kFused, AdamWKind::kForeach, AdamWKind::kLoop}) {
    LossScaler scaler(at::kCPU);
    at::Tensor skipped = parameter(), untouched = parameter();
    AdamW adamw(kind, {}, {skipped}), twin(kind, {}, {untouched});
    skipped.mutable_grad() = at::tensor({1.0F, std::numeric_limits<float>::infinity()});
    adamw.step(scaler.unscale(adamw.gradients()));
    scaler.update();
    EXPECT_TRUE(skipped.equal(untouched));
    EXPECT_EQ(scaler.current(), 32768);
    // The next good step is the first: bias corrections of t = 1, and moments that are still zero.
    for (const auto& weight : {skipped, untouched}) weight.mutable_grad() = at::ones({2});
    scaler.scale(skipped.sum());
    adamw.step(at::zeros({}));
    twin.step();
    EXPECT_TRUE(skipped.allclose(untouched, 0, 1e-7));
    EXPECT_FALSE(skipped.equal(parameter()));
  }
}

TEST(AdamWStep, SetsTheGradientsToNone) {
  for (const auto kind : {AdamWKind::kFused, AdamWKind::kForeach, AdamWKind::kLoop}) {
    at::Tensor weight = parameter();
    AdamW adamw(kind, {}, {weight});
    weight.mutable_grad() = at::ones({2});
    adamw.step();
    EXPECT_FALSE(weight.grad().defined());
  }
}

}  // namespace
}  // namespace sweepd
