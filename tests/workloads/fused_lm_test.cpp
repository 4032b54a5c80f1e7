// Compares the language model's step with each fusion to the one without: the same losses,
// gradients and updates, and the memory of the formula.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

#include "tests/workloads/figures.h"
#include "tests/workloads/workload_harness.h"
#include "workloads/nn/training.h"

namespace sweepd {
namespace {

using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

struct Setting {
  const char* name;
  void (*set)(LmStepParams&);
};
constexpr Setting kSettings[] = {
    {"linear", [](LmStepParams& p) { p.fused_linear = "on"; }},
    {"norm", [](LmStepParams& p) { p.fused_norm = "on"; }},
    {"rotary", [](LmStepParams& p) { p.fused_rotary = "on"; }},
    {"swiglu", [](LmStepParams& p) { p.fused_swiglu = "on"; }},
    {"linear_swiglu", [](LmStepParams& p) { p.fused_linear = p.fused_swiglu = "on"; }},
    {"all",
     [](LmStepParams& p) {
       p.fused_linear = p.fused_norm = p.fused_rotary = p.fused_swiglu = "on";
     }},
};

// The gradients of one step by the parameters' names, those of joint matrices taken apart.
std::map<std::string, at::Tensor> gradients_of(LmStepParams params) {
  params.mode = "forward_backward";
  Training training(params, at::kCPU, 1);
  RecordedPhases phases;
  training.step(phases);
  const std::vector<at::Tensor> leaves = training.model().leaves();
  std::map<std::string, at::Tensor> gradients;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const std::string& name = training.model().parameters()[i].name;
    const at::Tensor gradient = leaves[i].grad().to(at::kFloat);
    const std::string block = name.substr(0, name.find('.') + 1);
    if (name.ends_with("wqkv")) {
      const auto parts = gradient.chunk(3);
      for (int part = 0; part < 3; ++part) gradients[block + "w" + "qkv"[part]] = parts[part];
    } else if (name.ends_with("w13")) {
      gradients[block + "w1"] = gradient.chunk(2)[0];
      gradients[block + "w3"] = gradient.chunk(2)[1];
    } else {
      gradients[name] = gradient;
    }
  }
  return gradients;
}

void expect_same_gradients(const LmStepParams& plain, const LmStepParams& fused, double allowed) {
  const auto wanted = gradients_of(plain), got = gradients_of(fused);
  ASSERT_EQ(got.size(), wanted.size());
  for (const auto& [name, gradient] : wanted) {
    ASSERT_TRUE(got.contains(name)) << name;
    const double size = gradient.abs().max().item<double>();
    EXPECT_LE((got.at(name) - gradient).abs().max().item<double>(), allowed * size) << name;
  }
}

class Fusion : public ::testing::TestWithParam<Setting> {};

TEST_P(Fusion, GivesTheSameLossesAndGradients) {
  for (const auto& [precision, loss_error, gradient_error] : {std::tuple("fp32", 1e-5, 1e-4),
                                                              {"bf16", 0.02, 0.1},
                                                              {"bf16_pure", 0.04, 0.2},
                                                              {"fp16", 0.005, 0.02}}) {
    SCOPED_TRACE(precision);
    LmStepParams plain = small_case();
    plain.precision = precision;
    LmStepParams fused = plain;
    GetParam().set(fused);
    EXPECT_THAT(losses(fused, 4), Pointwise(DoubleNear(loss_error), losses(plain, 4)));
    expect_same_gradients(plain, fused, gradient_error);
  }
}

TEST_P(Fusion, WorksWithEveryAttention) {
  for (const char* attention : {"naive", "sdpa_math", "sdpa_flash", "flash"}) {
    SCOPED_TRACE(attention);
    LmStepParams plain = small_case();
    plain.attention = attention;
    LmStepParams fused = plain;
    GetParam().set(fused);
    EXPECT_THAT(losses(fused, 3), Pointwise(DoubleNear(1e-5), losses(plain, 3)));
  }
}

INSTANTIATE_TEST_SUITE_P(LmStep, Fusion, ::testing::ValuesIn(kSettings),
                         [](const auto& test) { return std::string(test.param.name); });

// The copies hold the values that autocast would cast, and gradients of bf16 products are bf16
// either way.
TEST(WeightCopies, GiveTheLossesAndGradientsOfAutocast) {
  LmStepParams cast = small_case();
  cast.precision = "bf16";
  LmStepParams kept = cast;
  kept.weight_copies = "kept";
  expect_same_gradients(cast, kept, 1e-6);
  // A weight on the border between two 16-bit numbers may be rounded to the other one.
  EXPECT_THAT(losses(kept, 6), Pointwise(DoubleNear(0.005), losses(cast, 6)));
  kept.fused_linear = kept.fused_norm = kept.fused_rotary = kept.fused_swiglu = "on";
  kept.attention = "flash";
  EXPECT_THAT(losses(kept, 6), Pointwise(DoubleNear(0.03), losses(cast, 6)));
}

TEST(WeightCopies, AreHeldAsTheFormulaSays) {
  LmStepParams params = small_case();
  params.precision = "bf16";
  params.weight_copies = "kept";
  for (const char* mode : {"forward", "forward_backward", "train_step"}) {
    params.mode = mode;
    Training training(params, at::kCPU, 1);
    RecordedPhases phases;
    training.step(phases);
    double weights = 0, gradients = 0;
    for (const HeldTensor& held : training.state()) {
      const auto bytes = static_cast<double>(held.size.value);
      if (held.kind == HeldTensor::Kind::kWeights) weights += bytes;
      if (held.kind == HeldTensor::Kind::kGradients) gradients += bytes;
    }
    const WorkPerStep work = work_of(params, {});
    EXPECT_EQ(weights, figure(work, "weights_bytes") + figure(work, "weight_copies_bytes")) << mode;
    // train_step frees them in `optimizer`.
    const bool freed = std::string_view(mode) == "train_step";
    EXPECT_EQ(gradients, freed ? 0 : figure(work, "gradients_bytes")) << mode;
  }
}

TEST(WeightCopies, RestartWithTheFirstWeights) {
  LmStepParams params = small_case();
  params.precision = "bf16";
  params.weight_copies = "kept";
  params.fused_linear = "on";
  Training training(params, at::kCPU, 1);
  RecordedPhases phases;
  training.step(phases);
  const double first = training.loss().item<double>();
  training.step(phases);
  EXPECT_NE(training.loss().item<double>(), first);
  training.restart();
  training.step(phases);
  EXPECT_EQ(training.loss().item<double>(), first);
}

TEST(Fusions, CountTheProductsThatRun) {
  LmStepParams params = small_case();  // two layers
  EXPECT_EQ(figure(work_of(params, {}), "matmuls_forward"), 7 * 2 + 1 + 2 * 2);
  params.fused_linear = "on";
  EXPECT_EQ(figure(work_of(params, {}), "matmuls_forward"), 4 * 2 + 1 + 2 * 2);
  params.attention = "flash";
  EXPECT_EQ(figure(work_of(params, {}), "matmuls_forward"), 4 * 2 + 1);
}

TEST(Fusions, WhatCannotBeCombinedSaysWhy) {
  const auto message = [](auto change) {
    LmStepParams params = small_case();
    change(params);
    try {
      work_of(params, {});
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(message([](LmStepParams& p) { p.weight_copies = "kept"; }),
              HasSubstr("weight_copies: `kept` needs precision: bf16"));
  EXPECT_THAT(message([](LmStepParams& p) {
                p.weight_copies = "kept";
                p.precision = "bf16";
                p.optimizer = "adamw_loop";
              }),
              HasSubstr("needs optimizer: adamw_fused, which writes the copies; this trial has "
                        "adamw_loop"));
  EXPECT_THAT(message([](LmStepParams& p) {
                p.compile = "aot_inductor";
                p.fused_norm = "on";
              }),
              HasSubstr("aot_inductor fuses operations itself"));
  EXPECT_THAT(message([](LmStepParams& p) {
                p.compile = "aot_inductor";
                p.linear_backward = "parallel";
              }),
              HasSubstr("products: torch and linear_backward: serial"));
}

}  // namespace
}  // namespace sweepd
