// Compares the fused operations on a CPU with ATen's in float64, forward and gradients, with every
// instruction set of this processor.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cctype>
#include <cmath>
#include <functional>
#include <stdexcept>

#include "workloads/fused/fused_cpu.h"
#include "workloads/nn/adamw.h"
#include "workloads/nn/rotary.h"

namespace sweepd {
namespace {

using ::testing::HasSubstr;
using Tensors = std::vector<at::Tensor>;
using Operation = std::function<at::Tensor(const Tensors&)>;

// Runs each test with the kernels of its parameter's number, and restores the best ones at the end.
class Fused : public ::testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    at::manual_seed(3);
    choose_row_kernels(*usable_row_kernels()[GetParam()]);
  }
  void TearDown() override { choose_row_kernels(*usable_row_kernels().front()); }
};

std::string rows_name(const ::testing::TestParamInfo<std::size_t>& test) {
  std::string name;
  for (const char c : std::string(usable_row_kernels()[test.param]->name)) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Kernels, Fused,
                         ::testing::Range(std::size_t{0}, usable_row_kernels().size()), rows_name);

// Half a unit in the last place, of the values' size.
double roundoff(at::ScalarType type) {
  if (type == at::kFloat) return 1e-6;
  return type == at::kHalf ? 0x1p-10 : 0x1p-7;
}

struct Results {
  at::Tensor output;
  Tensors gradients;
};

Results results_of(const Operation& operation, const Tensors& inputs, const at::Tensor& d_output) {
  Tensors leaves;
  for (const at::Tensor& input : inputs) leaves.push_back(input.detach().requires_grad_());
  const at::Tensor output = operation(leaves);
  const auto seed = d_output.to(output.scalar_type()).reshape(output.sizes());
  return {output.detach(), torch::autograd::grad({output}, leaves, {seed})};
}

void expect_close(const at::Tensor& got, const at::Tensor& wanted, double allowed) {
  ASSERT_EQ(got.sizes(), wanted.sizes());
  const at::Tensor error = (got.to(at::kDouble) - wanted).abs() - allowed * wanted.abs();
  EXPECT_LE(error.max().item<double>(), allowed) << got.scalar_type();
}

// `wanted` gets the same values as `operation`, in float64.
void compare(const Operation& operation, const Operation& wanted, const Tensors& inputs,
             const at::Tensor& d_output, double allowed) {
  const Results got = results_of(operation, inputs, d_output);
  Tensors exact;
  for (const at::Tensor& input : inputs) exact.push_back(input.to(at::kDouble));
  const auto rounded = d_output.to(got.output.scalar_type()).to(at::kDouble);
  const Results right = results_of(wanted, exact, rounded);
  expect_close(got.output, right.output, allowed);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    SCOPED_TRACE("gradient " + std::to_string(i));
    expect_close(got.gradients[i], right.gradients[i], 4 * allowed);
  }
}

constexpr at::ScalarType kTypes[] = {at::kFloat, at::kHalf, at::kBFloat16};
// Below, at and beyond a whole number of vectors of any instruction set.
constexpr std::int64_t kWidths[] = {1, 3, 16, 31, 64, 100};

TEST_P(Fused, NormIsRmsNorm) {
  for (const std::int64_t columns : kWidths) {
    for (const at::ScalarType in : kTypes) {
      for (const at::ScalarType out : kTypes) {
        if (in != at::kFloat && in != out) continue;  // a type that no precision uses
        SCOPED_TRACE(c10::str(columns, " ", in, " to ", out));
        const at::Tensor x = at::randn({37, columns}).to(in) * 2;
        const at::Tensor w = at::rand({columns}).to(in) + 0.5;
        const double allowed = 4 * roundoff(out) * std::sqrt(static_cast<double>(columns));
        compare([&](const Tensors& t) { return fused_norm(t[0], t[1], 1e-5, out); },
                [&](const Tensors& t) { return at::rms_norm(t[0], {columns}, t[1], 1e-5); }, {x, w},
                at::randn({37, columns}), allowed);
      }
    }
  }
}

TEST_P(Fused, RotaryIsTheComplexProduct) {
  for (const std::int64_t n : {2, 6, 16, 30, 64, 80}) {
    const Rotary rotary(9, n, at::kCPU);
    const RotaryTables tables = rotary_tables(rotary.table());
    for (const at::ScalarType type : kTypes) {
      SCOPED_TRACE(c10::str(n, " ", type));
      // One of three in the memory of a joint product, as the model has it.
      const at::Tensor x = at::randn({2, 9, 3, 4, n}).to(type).select(2, 1);
      const at::Tensor dy = at::randn({2, 4, 9, n});
      const Results got = results_of(
          [&](const Tensors& t) { return fused_rotary(t[0], tables.cosines, tables.sines); }, {x},
          dy);
      EXPECT_TRUE(got.output.is_contiguous());
      const Results right = results_of([&](const Tensors& t) { return rotary(t[0]); },
                                       {x.to(at::kFloat)}, dy.to(type).to(at::kFloat));
      expect_close(got.output, right.output.to(at::kDouble), 2 * roundoff(type));
      expect_close(got.gradients[0], right.gradients[0].to(at::kDouble), 2 * roundoff(type));
    }
  }
}

TEST_P(Fused, RotaryKeepsLengthsAndItsBackwardIsItsInverse) {
  const RotaryTables tables = rotary_tables(Rotary(5, 8, at::kCPU).table());
  const at::Tensor x = at::randn({1, 5, 2, 8});
  const Results there =
      results_of([&](const Tensors& t) { return fused_rotary(t[0], tables.cosines, tables.sines); },
                 {x}, at::zeros({1, 2, 5, 8}));
  const Results back =
      results_of([&](const Tensors& t) { return fused_rotary(t[0], tables.cosines, tables.sines); },
                 {x}, there.output);
  expect_close(back.gradients[0], x.to(at::kDouble), 1e-6);
}

TEST_P(Fused, GateIsSiluTimes) {
  const Operation wanted = [](const Tensors& t) { return at::silu(t[0]) * t[1]; };
  for (const std::int64_t f : kWidths) {
    for (const at::ScalarType type : kTypes) {
      SCOPED_TRACE(c10::str(f, " ", type));
      const at::Tensor a = (at::randn({11, f}) * 3).to(type), b = at::randn({11, f}).to(type);
      const at::Tensor dy = at::randn({11, f});
      compare([](const Tensors& t) { return fused_gate(t[0], t[1]); }, wanted, {a, b}, dy,
              4 * roundoff(type));
      compare(
          [](const Tensors& t) {
            return fused_gate(at::cat({t[0], t[1]}, 1));
          },
          wanted, {a, b}, dy, 4 * roundoff(type));
      // Rows that are not contiguous.
      const at::Tensor wide = at::cat({a, b}, 1);
      compare(
          [f](const Tensors& t) { return fused_gate(t[0].narrow(1, 0, f), t[0].narrow(1, f, f)); },
          [f](const Tensors& t) { return at::silu(t[0].narrow(1, 0, f)) * t[0].narrow(1, f, f); },
          {wide}, dy, 4 * roundoff(type));
    }
  }
}

TEST_P(Fused, GateOfLargeNumbersIsFinite) {
  const at::Tensor a = at::tensor({-1e4F, -200.0F, -90.0F, 90.0F, 1e4F}).view({1, 5});
  const Results got = results_of([](const Tensors& t) { return fused_gate(t[0], t[1]); },
                                 {a, at::ones({1, 5})}, at::ones({1, 5}));
  expect_close(got.output, at::silu(a.to(at::kDouble)), 1e-6);
  EXPECT_TRUE(at::isfinite(got.gradients[0]).all().item<bool>());
  const at::Tensor nan = at::full({1, 5}, std::nan(""));
  EXPECT_TRUE(at::isnan(fused_gate(nan, nan)).all().item<bool>());
}

// AdamW with copies against the one without, from the same 16-bit gradients.
TEST_P(Fused, AdamWWithCopiesUpdatesAsAdamWDoes) {
  for (const std::int64_t count : {5, 64, 70001}) {
    const AdamWOptions options{0.01, 0.9, 0.999, 1e-8, 0.1};
    const at::Tensor first = at::randn({count});
    at::Tensor p = first.clone(), wanted = first.clone();
    at::Tensor copy = first.to(at::kBFloat16);
    at::Tensor no_copy = at::randn({3}), no_copy_wanted = no_copy.clone();
    AdamW with(AdamWKind::kFused, options, {p, no_copy}, {copy, at::Tensor()});
    AdamW without(AdamWKind::kFused, options, {wanted, no_copy_wanted});
    for (int step = 0; step < 3; ++step) {
      const at::Tensor g = at::randn({count}).to(at::kBFloat16), other = at::randn({3});
      copy.mutable_grad() = g;
      wanted.mutable_grad() = g.to(at::kFloat);
      no_copy.mutable_grad() = other;
      no_copy_wanted.mutable_grad() = other;
      with.step();
      without.step();
      EXPECT_FALSE(copy.grad().defined()) << "the next backward writes instead of adding";
      expect_close(p, wanted.to(at::kDouble), 2e-6);
      expect_close(no_copy, no_copy_wanted.to(at::kDouble), 2e-6);
      EXPECT_TRUE(at::equal(copy, p.to(at::kBFloat16)));
    }
    expect_close(with.moments()[0], without.moments()[0].to(at::kDouble), 2e-6);
    expect_close(with.squares()[0], without.squares()[0].to(at::kDouble), 2e-6);
  }
}

TEST(FusedOperations, WrongShapesAreNamed) {
  const auto message = [](const std::function<void()>& call) {
    try {
      call();
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(message([] {
                fused_norm(at::ones({2, 3}), at::ones({4}), 0, at::kFloat);
              }),
              HasSubstr("x is [T, n], w [n]; got [2, 3]"));
  EXPECT_THAT(message([] { fused_gate(at::ones({2, 3})); }), HasSubstr("ab is [T, 2 f]"));
  EXPECT_THAT(message([] {
                fused_gate(at::ones({2, 3}), at::ones({3, 2}));
              }),
              HasSubstr("a and b are [T, f]"));
  EXPECT_THAT(message([] {
                fused_rotary(at::ones({1, 2, 3, 4}), at::ones({2, 6}), at::ones({2, 6}));
              }),
              HasSubstr("the tables [S, n]"));
}

}  // namespace
}  // namespace sweepd
