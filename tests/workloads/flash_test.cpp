// Compares our FlashAttention on a CPU with float64, with every instruction set of this processor.
#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "workloads/api/device.h"
#include "workloads/api/failure.h"
#include "workloads/flash/flash_cpu.h"
#include "workloads/nn/attention_check.h"
#include "workloads/nn/dtype_names.h"

namespace sweepd {
namespace {

using ::testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

AttentionFunction flash_with(const FlashOptions& options) {
  return [options](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    return flash_attention(q, k, v, options);
  };
}

struct Gradient {
  at::Tensor o, dq, dk, dv;
};

Gradient run(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const at::Tensor& d_o,
             const FlashOptions& options) {
  std::vector<at::Tensor> inputs;
  for (const at::Tensor& tensor : {q, k, v}) inputs.push_back(tensor.detach().requires_grad_());
  const at::Tensor o = flash_attention(inputs[0], inputs[1], inputs[2], options);
  const auto found = torch::autograd::grad({o}, {inputs[0], inputs[1], inputs[2]}, {d_o});
  return {o.detach(), found[0], found[1], found[2]};
}

// Runs each test with the kernels of its parameter's number, and restores the best ones at the end.
class Flash : public ::testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    at::manual_seed(3);
    choose_cpu_kernels(*usable_cpu_kernels()[GetParam()]);
  }
  void TearDown() override { choose_cpu_kernels(*usable_cpu_kernels().front()); }
};

std::string kernels_name(const ::testing::TestParamInfo<std::size_t>& test) {
  std::string name;
  for (const char c : std::string(usable_cpu_kernels()[test.param]->name)) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Kernels, Flash,
                         ::testing::Range(std::size_t{0}, usable_cpu_kernels().size()),
                         kernels_name);

// The possible layouts of a tensor [B, h, S, d] in memory.
enum class Layout { kContiguous, kRowsOfAllHeads, kEveryOtherColumn, kPartOfALarger };

at::Tensor make(Layout layout, const std::vector<std::int64_t>& shape, at::ScalarType type) {
  const std::int64_t b = shape[0], h = shape[1], s = shape[2], d = shape[3];
  switch (layout) {
    case Layout::kContiguous:
      return at::randn({b, h, s, d}).to(type);
    case Layout::kRowsOfAllHeads:  // as a model's projections make it
      return at::randn({b, s, h, d}).to(type).transpose(1, 2);
    case Layout::kEveryOtherColumn:
      return at::randn({b, h, s, 2 * d}).to(type).slice(3, 0, 2 * d, 2);
    case Layout::kPartOfALarger:
      return at::randn({b, h, s + 3, d + 5}).to(type).narrow(2, 1, s).narrow(3, 2, d);
  }
  return {};
}

TEST_P(Flash, EqualsFloat64ForRandomShapesTypesAndStrides) {
  std::mt19937 random(20260);
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  constexpr std::int64_t kWidths[] = {16, 24, 32, 40, 48, 64, 80, 96, 112, 128, 1, 7, 33, 130, 256};
  constexpr std::int64_t kLengths[] = {1, 2, 15, 16, 17, 127, 128, 129, 191, 193, 256, 385};
  for (int i = 0; i < 60; ++i) {
    const std::int64_t length = i % 2 == 0 ? kLengths[i / 2 % std::size(kLengths)] : 1 + below(400);
    const std::vector<std::int64_t> shape{
        1 + below(2), 1 + below(3), length,
        kWidths[static_cast<std::size_t>(i) % std::size(kWidths)]};
    const at::ScalarType type = std::array{at::kFloat, at::kHalf, at::kBFloat16}[random() % 3];
    const auto layout = static_cast<Layout>(random() % 4);
    const FlashOptions options{random() % 2 == 0 ? AttentionMask::kCausal : AttentionMask::kNone,
                               1 / std::sqrt(static_cast<double>(shape[3]))};
    const AttentionInputs inputs{make(layout, shape, type), make(layout, shape, type),
                                 make(Layout::kContiguous, shape, type), options.mask,
                                 options.scale};
    const Check check = check_attention(flash_with(options), inputs, Gradients::kOn, i);
    EXPECT_TRUE(check.passed) << "case " << i << ": " << dtype_name(type) << " " << c10::str(shape)
                              << " layout " << static_cast<int>(layout) << " causal "
                              << (options.mask == AttentionMask::kCausal) << ": " << check.message;
  }
}

TEST_P(Flash, EqualsFloat64WithTilesOfEverySize) {
  const FlashTile tiles[] = {{16, 16}, {16, 0},    {0, 32},   {48, 64},
                             {64, 48}, {256, 128}, {512, 512}};
  for (const FlashTile& tile : tiles) {
    for (const auto mask : {AttentionMask::kCausal, AttentionMask::kNone}) {
      const FlashOptions options{mask, 0.2, tile};
      const AttentionInputs inputs{at::randn({2, 2, 205, 40}), at::randn({2, 2, 205, 40}),
                                   at::randn({2, 2, 205, 40}), mask, options.scale};
      const Check check = check_attention(flash_with(options), inputs, Gradients::kOn, 1);
      EXPECT_TRUE(check.passed) << tile.rows << " x " << tile.columns << ": " << check.message;
    }
  }
}

TEST_P(Flash, KeepsItsAccuracyForLargeScores) {
  for (const auto mask : {AttentionMask::kCausal, AttentionMask::kNone}) {
    const FlashOptions options{mask, 5.0};  // scores up to 200: one column gets nearly all weight
    const AttentionInputs inputs{at::randn({1, 1, 200, 64}), at::randn({1, 1, 200, 64}),
                                 at::randn({1, 1, 200, 64}), options.mask, options.scale};
    const Gradient got = run(inputs.q, inputs.k, inputs.v, at::ones_like(inputs.q), options);
    at::Tensor scores =
        at::matmul(inputs.q.to(at::kDouble), inputs.k.transpose(2, 3).to(at::kDouble));
    scores = scores * options.scale;
    if (mask == AttentionMask::kCausal) {
      scores.masked_fill_(at::ones({200, 200}, at::kBool).triu(1), -INFINITY);
    }
    const at::Tensor expected = at::matmul(at::softmax(scores, -1), inputs.v.to(at::kDouble));
    // A score of 200 in fp32 has an error of 1e-5, and so does its exponential.
    EXPECT_LT((got.o.to(at::kDouble) - expected).abs().max().item<double>(), 2e-4);
  }
}

TEST_P(Flash, TakesGradientsThatAreExpanded) {
  const FlashOptions options{AttentionMask::kCausal, 0.2};
  const at::Tensor q = at::randn({2, 2, 50, 32}), k = at::randn_like(q), v = at::randn_like(q);
  const Gradient expanded = run(q, k, v, at::ones({1}).expand(q.sizes()), options);
  const Gradient dense = run(q, k, v, at::ones_like(q), options);
  EXPECT_TRUE(at::equal(expanded.dq, dense.dq));
  EXPECT_TRUE(at::equal(expanded.dv, dense.dv));
}

TEST_P(Flash, DoesNotDependOnTheNumberOfThreads) {
  const FlashOptions options{AttentionMask::kCausal, 0.125};
  const at::Tensor q = at::randn({1, 2, 700, 64}), k = at::randn_like(q), v = at::randn_like(q),
                   d_o = at::randn_like(q);
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  const Gradient alone = run(q, k, v, d_o, options);
  for (const int count : {2, 5}) {  // with five, threads share the columns of a head
    at::set_num_threads(count);
    const Gradient shared = run(q, k, v, d_o, options);
    EXPECT_TRUE(at::equal(shared.o, alone.o));
    for (const auto& [a, b] : {std::pair(shared.dq, alone.dq), std::pair(shared.dk, alone.dk),
                               std::pair(shared.dv, alone.dv)}) {
      EXPECT_TRUE(at::allclose(a, b, 1e-5, 1e-5)) << count << " threads";
    }
    const Gradient again = run(q, k, v, d_o, options);
    EXPECT_TRUE(at::equal(again.dq, shared.dq)) << "the order of threads shows";
  }
  at::set_num_threads(threads);
}

// Row 100 of 300 in one of the four is spoilt. With a causal mask, rows 0 to 99 do not see it.
struct Spoilt {
  const char* tensor;
  float value;
};

bool all_finite(const at::Tensor& tensor) {
  return at::isfinite(tensor).all().item<bool>();
}

TEST_P(Flash, WhatIsNotANumberStaysInTheRowsThatSeeIt) {
  for (const at::ScalarType type : {at::kFloat, at::kBFloat16}) {
    for (const Spoilt& spoilt : {Spoilt{"q", kNan},
                                 {"k", kNan},
                                 {"v", kNan},
                                 {"d_o", kNan},
                                 {"q", kInfinity},
                                 {"k", -kInfinity},
                                 {"v", kInfinity}}) {
      at::Tensor q = at::randn({1, 2, 300, 64}).to(type), k = at::randn_like(q),
                 v = at::randn_like(q), d_o = at::randn_like(q);
      const std::string name = spoilt.tensor;
      at::Tensor& tensor = name == "q" ? q : name == "k" ? k : name == "v" ? v : d_o;
      tensor.select(1, 0).select(1, 100).fill_(spoilt.value);
      const Gradient got = run(q, k, v, d_o, {AttentionMask::kCausal, 0.125});
      const std::string what = dtype_name(type) + " " + name + " " + std::to_string(spoilt.value);
      // The other head is unaffected, and so are the rows above.
      for (const at::Tensor& result : {got.o, got.dq, got.dk, got.dv}) {
        EXPECT_TRUE(all_finite(result.select(1, 1))) << what;
      }
      EXPECT_TRUE(all_finite(got.o.select(1, 0).narrow(1, 0, 100))) << what;
      EXPECT_TRUE(all_finite(got.dq.select(1, 0).narrow(1, 0, 100))) << what;
      if (name == "q" || name == "d_o") {  // row 100 does not see columns from 101 on
        EXPECT_TRUE(all_finite(got.dk.select(1, 0).narrow(1, 101, 199))) << what;
        EXPECT_TRUE(all_finite(got.dv.select(1, 0).narrow(1, 101, 199))) << what;
      }
      if (name == "q") {
        EXPECT_TRUE(all_finite(got.o.select(1, 0).narrow(1, 101, 199))) << what;
        EXPECT_TRUE(at::isnan(got.o.select(1, 0).select(1, 100)).all().item<bool>()) << what;
      }
      if (name == "v") {
        EXPECT_FALSE(at::isfinite(got.o.select(1, 0).narrow(1, 100, 200)).any().item<bool>())
            << what;
      }
    }
  }
}

TEST_P(Flash, ScoresOfMinusInfinityWeighNothing) {
  at::Tensor q = at::rand({1, 1, 300, 32}) + 0.1, k = at::rand({1, 1, 300, 32}),
             v = at::randn({1, 1, 300, 32});
  k.narrow(2, 0, 200).fill_(-kInfinity);  // more than one tile of columns, including the first
  const FlashOptions options{AttentionMask::kNone, 0.2};
  const at::Tensor got = flash_attention(q, k, v, options);
  const at::Tensor expected =
      at::matmul(at::softmax(at::matmul(q, k.narrow(2, 200, 100).transpose(2, 3)) * 0.2, -1),
                 v.narrow(2, 200, 100));
  EXPECT_TRUE(at::allclose(got, expected, 1e-5, 1e-6));
}

// Memory grows with the sequence, not with its square: nothing is S x S.
TEST(FlashMemory, IsThatOfItsTensorsAndLittleMore) {
  const auto device = make_device(DeviceOptions{});
  for (const at::ScalarType type : {at::kFloat, at::kBFloat16}) {
    for (const std::int64_t length : {2048, 4096}) {
      const std::int64_t before = device->memory().allocated.value;
      const auto make = [&] { return at::randn({2, 4, length, 64}).to(type); };
      const at::Tensor q = make(), k = make(), v = make(), d_o = make();
      device->reset_peak_memory();
      run(q, k, v, d_o, {AttentionMask::kCausal, 0.125});
      const auto peak = static_cast<double>(device->memory().peak_allocated.value - before);
      const auto tensors = static_cast<double>(8 * q.nbytes());
      EXPECT_LT(peak / tensors, 1.2) << dtype_name(type) << " " << length;
    }
  }
}

TEST(FlashAttention, GivesTheOutputThatItsModelCanUseWithoutACopy) {
  const at::Tensor q = at::randn({2, 40, 3, 16}).transpose(1, 2);
  EXPECT_EQ(flash_attention(q, q, q, {}).strides(), q.strides());
}

TEST(FlashAttention, RefusesWhatItCannotDo) {
  const at::Tensor q = at::randn({1, 2, 8, 16});
  const auto message = [&](const at::Tensor& a, const at::Tensor& b) -> std::string {
    try {
      flash_attention(a, b, b, {});
    } catch (const std::exception& error) {
      return error.what();
    }
    return "done";
  };
  EXPECT_THAT(message(q, at::randn({1, 2, 9, 16})), HasSubstr("k is [1, 2, 9, 16]"));
  EXPECT_THAT(message(q, q.to(at::kHalf)), HasSubstr("k is [1, 2, 8, 16] Half"));
  EXPECT_THAT(message(at::randn({2, 8, 16}), q), HasSubstr("q is [2, 8, 16]"));
  const at::Tensor wide = at::randn({1, 1, 8, 300});
  EXPECT_THAT(message(wide, wide), HasSubstr("head dimension 300"));
  EXPECT_THROW(flash_attention(q.to(at::kDouble), q.to(at::kDouble), q.to(at::kDouble), {}),
               Unavailable);
}

}  // namespace
}  // namespace sweepd
