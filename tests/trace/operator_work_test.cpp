#include "runner/trace/operator_work.h"

#include <gtest/gtest.h>

namespace sweepd::trace {
namespace {

const OperatorInput kNothing{{}, "", ""};

OperatorInput bf16(std::vector<std::int64_t> dims) {
  return {std::move(dims), "c10::BFloat16", ""};
}
OperatorInput fp32(std::vector<std::int64_t> dims) {
  return {std::move(dims), "float", ""};
}
OperatorInput value(std::string text) {
  return {{}, "Scalar", std::move(text)};
}

using Inputs = std::vector<OperatorInput>;

double flops(std::string_view name, const Inputs& inputs) {
  const auto work = operator_work(name, inputs);
  return work ? work->flops : -1;
}
double bytes(std::string_view name, const Inputs& inputs) {
  const auto work = operator_work(name, inputs);
  return work ? work->bytes : -1;
}

TEST(OperatorWork, Products) {
  const Inputs mm{bf16({8, 16}), bf16({16, 32})};
  EXPECT_EQ(flops("aten::mm", mm), 2 * 8 * 16 * 32);
  EXPECT_EQ(bytes("aten::mm", mm), 2 * (8 * 16 + 16 * 32 + 8 * 32));
  EXPECT_EQ(operator_work("aten::mm", mm)->arithmetic, "bf16");
  EXPECT_EQ(operator_work("aten::mm", mm)->kernel_class, KernelClass::kMatmul);

  const Inputs addmm{fp32({32}), fp32({8, 16}), fp32({16, 32}), value("1"), value("1")};
  EXPECT_EQ(flops("aten::addmm", addmm), 2 * 8 * 16 * 32) << "the bias is not counted";
  EXPECT_EQ(bytes("aten::addmm", addmm), 4 * (32 + 8 * 16 + 16 * 32 + 8 * 32));

  const Inputs bmm{bf16({3, 8, 16}), bf16({3, 16, 32})};
  EXPECT_EQ(flops("aten::bmm", bmm), 3 * 2 * 8 * 16 * 32);
  const Inputs baddbmm{bf16({1, 8, 32}), bf16({3, 8, 16}), bf16({3, 16, 32})};
  EXPECT_EQ(flops("aten::baddbmm", baddbmm), 3 * 2 * 8 * 16 * 32);
  EXPECT_EQ(bytes("aten::baddbmm", baddbmm) - bytes("aten::bmm", bmm), 2 * 8 * 32);
}

TEST(OperatorWork, ConvolutionForward) {
  // An image of 3 x 32 x 32 becomes 64 x 16 x 16.
  const Inputs strided{bf16({4, 3, 32, 32}), bf16({64, 3, 7, 7}), value("[3, 3]"),
                       value("[2, 2]"),      value("[1, 1]"),     value("1")};
  EXPECT_EQ(flops("aten::cudnn_convolution", strided), 2.0 * 4 * 64 * 16 * 16 * 3 * 7 * 7);
  EXPECT_EQ(bytes("aten::cudnn_convolution", strided),
            2.0 * (4 * 3 * 32 * 32 + 64 * 3 * 7 * 7 + 4 * 64 * 16 * 16));
  Inputs without_values = strided;
  for (OperatorInput& input : without_values) input.value = "";
  EXPECT_EQ(flops("aten::cudnn_convolution", without_values), -1);
  // Depthwise: each channel has a weight of its own. Dilated by 2, 3 covers 5.
  const Inputs depthwise{fp32({1, 8, 10}), fp32({8, 1, 3}), fp32({8}), value("[0]"),
                         value("[1]"),     value("[2]"),    value("8")};
  EXPECT_EQ(flops("aten::mkldnn_convolution", depthwise), 2.0 * 8 * 6 * 3);
}

// Of 2 batches, 4 heads, 128 queries, 256 keys, d 64.
TEST(OperatorWork, Attention) {
  const Inputs forward{bf16({2, 128, 4, 64}), bf16({2, 256, 4, 64}), bf16({2, 256, 4, 64}),
                       kNothing, kNothing};
  const double dense = 4.0 * 2 * 4 * 128 * 256 * 64;
  EXPECT_EQ(flops("aten::_flash_attention_forward", forward), dense);
  EXPECT_EQ(bytes("aten::_flash_attention_forward", forward),
            2.0 * 2 * 4 * 64 * (128 + 256 + 256 + 128));
  Inputs packed = forward;
  packed[3] = {{3}, "int", ""};
  EXPECT_EQ(flops("aten::_flash_attention_forward", packed), -1) << "of unknown lengths";

  const Inputs heads_first{bf16({2, 4, 128, 64}), bf16({2, 4, 256, 64}), bf16({2, 4, 256, 64})};
  EXPECT_EQ(flops("aten::_scaled_dot_product_cudnn_attention", heads_first), dense);
  Inputs backward{bf16({2, 128, 4, 64})};
  backward.insert(backward.end(), forward.begin(), forward.begin() + 3);
  EXPECT_EQ(flops("aten::_flash_attention_backward", backward), 2.5 * dense);
  EXPECT_EQ(bytes("aten::_flash_attention_backward", backward),
            2 * bytes("aten::_flash_attention_forward", forward));
}

// The flash leaderboard's shape: 0.550 T forward, 1.374 T backward.
TEST(OperatorWork, CausalAttentionIsHalf) {
  const OperatorInput tensor = bf16({16, 16'384, 1, 64});
  Inputs forward{tensor, tensor, tensor};
  forward.resize(9, kNothing);
  forward[8] = value("True");
  EXPECT_NEAR(flops("aten::_flash_attention_forward", forward), 0.550e12, 0.0005e12);
  Inputs backward(12, kNothing);
  for (std::size_t i = 0; i < 4; ++i) backward[i] = tensor;
  backward[11] = value("True");
  EXPECT_NEAR(flops("aten::_flash_attention_backward", backward), 1.374e12, 0.0005e12);
  forward[8] = value("False");
  EXPECT_NEAR(flops("aten::_flash_attention_forward", forward), 1.100e12, 0.0005e12);
}

TEST(OperatorWork, ElementwiseMovesItsInputsAndItsResult) {
  EXPECT_EQ(bytes("aten::add", {bf16({2, 3}), bf16({3}), value("1")}), 2 * (6 + 3 + 6));
  EXPECT_EQ(bytes("aten::mul", {bf16({4, 1}), fp32({5})}), 4 * 2 + 5 * 4 + 20 * 4);
  EXPECT_EQ(bytes("aten::mul", {bf16({4}), {{}, "double", ""}}), 4 * 2 + 8 + 4 * 2)
      << "a single number does not widen the result";
  EXPECT_EQ(bytes("aten::add_", {fp32({8}), fp32({8}), value("1")}), 3 * 8 * 4);
  EXPECT_EQ(bytes("aten::copy_", {bf16({8}), fp32({8})}), 8 * 2 + 8 * 4);
  EXPECT_EQ(bytes("aten::zero_", {fp32({8})}), 8 * 4);
  EXPECT_EQ(flops("aten::add_", {fp32({8}), fp32({8})}), 0);
  const Inputs norm{bf16({8, 16}), {{}, "ScalarList", "[16]"}, bf16({16}), bf16({16})};
  EXPECT_EQ(bytes("aten::native_layer_norm", norm), 2 * (8 * 16 + 16 + 16 + 8 * 16));
}

TEST(OperatorWork, WhatIsUnknownHasNone) {
  const struct {
    const char* name;
    Inputs inputs;
  } cases[] = {
      {"aten::linear", {bf16({8, 16}), bf16({32, 16})}},  // aten::addmm below it has the work
      {"mm", {bf16({8, 16}), bf16({16, 32})}},
      {"aten::mm", {}},
      {"aten::mm", {bf16({8, 16})}},
      {"aten::mm", {bf16({8, 16}), bf16({17, 32})}},
      {"aten::mm", {bf16({8, 16}), fp32({16, 32})}},
      {"aten::mm", {bf16({8}), bf16({8})}},
      {"aten::mm", {{{8, 16}, "c10::Unheard", ""}, {{16, 32}, "c10::Unheard", ""}}},
      {"aten::mm", {bf16({0, 16}), bf16({16, 0})}},
      {"aten::mm", {bf16({INT64_MAX, INT64_MAX}), bf16({INT64_MAX, INT64_MAX})}},
      {"aten::add", {value("1")}},
      {"aten::_flash_attention_forward", {bf16({2, 4, 8})}},
      {"aten::cudnn_convolution", {bf16({1}), bf16({1})}},
      {"aten::cudnn_convolution",
       {bf16({1, 1, 4}), bf16({1, 1, 9}), value("[0]"), value("[1]"), value("[1]")}},
      {"aten::cudnn_convolution",
       {bf16({1, 1, 4}), bf16({1, 1, 3}), value("[0]"), value("[0]"), value("[1]")}},
  };
  for (const auto& each : cases) {
    EXPECT_FALSE(operator_work(each.name, each.inputs)) << each.name;
  }
  EXPECT_EQ(work_from("aten::linear"), WorkFrom::kUnknown);
  EXPECT_EQ(work_from("aten::mm"), WorkFrom::kShapes);
  EXPECT_EQ(work_from("aten::_flash_attention_forward"), WorkFrom::kShapesAndValues);
}

}  // namespace
}  // namespace sweepd::trace
