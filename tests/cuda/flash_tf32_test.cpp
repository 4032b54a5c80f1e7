// Runs the kernels of tf32.cu on the emulator and compares them with plain loops in double.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "tests/cuda/attention_case.h"
#include "workloads/cuda/flash/float_backward.cuh"
#include "workloads/cuda/flash/float_forward.cuh"
#include "workloads/cuda/flash/head_dims.h"
#include "workloads/cuda/flash/row_kernels.cuh"
#include "workloads/cuda/flash/tf32_backward.cuh"
#include "workloads/cuda/flash/tf32_forward.cuh"

namespace sweepd::gpu {
namespace {

template <class Kernel>
void run_split(const Problem& p, int blocks, int groups, std::uint32_t seed) {
  emulate(
      {blocks, p.heads, p.batch, groups * FloatThread::kGroup, Kernel::shared_bytes(groups), seed},
      [&p] {
        Kernel kernel;
        kernel.run(p);
      });
}

template <template <int> class Forward>
void forward_of(const Problem& p, int groups, std::uint32_t seed) {
  with_head_dim(p.head_dim, [&](auto dim) {
    using Kernel = Forward<dim>;
    run_split<Kernel>(p, blocks_of(p.sequence, Kernel::kRows), groups, seed);
  });
}

template <template <int> class Backward>
void backward_of(const Problem& p, int groups, std::uint32_t seed) {
  using Sums = RowSums<Element::kFp32>;
  emulate({padded_rows(p.sequence) / Sums::kRows, p.heads, p.batch, Sums::kThreads, 0, seed},
          [&p] { Sums().run(p); });
  with_head_dim(p.head_dim, [&](auto dim) {
    using Kernel = Backward<dim>;
    run_split<Kernel>(p, blocks_of(p.sequence, Kernel::kKeys), groups, seed);
  });
}

void check_tf32(const Shape& shape, int groups, std::uint32_t seed) {
  SCOPED_TRACE(name_of(shape) + " groups " + std::to_string(groups));
  AttentionCase attention(Element::kFp32, shape, seed);
  forward_of<Tf32Forward>(attention.problem, groups, seed);
  backward_of<Tf32Backward>(attention.problem, groups, seed);
  attention.expect_right(4e-4);  // scores of -181 are sums that were cut off
}

// C = A B with A[i][k] = i + k / 8 and B = k + 1 in column 3: column 3 of C is 36 i + 21.
TEST(Tf32Emulator, MmaPutsEveryElementWhereTheManualDoes) {
  std::vector<float> c(16 * 8, -1);
  emulate({.threads = 32}, [&] {
    const int lane = thread_index(), r = lane / 4, k = lane % 4;
    const auto a = [](int row, int column) {
      return bits_of(static_cast<float>(row) + static_cast<float>(column) / 8);
    };
    const auto b = [&](int row) { return bits_of(r == 3 ? static_cast<float>(row + 1) : 0); };
    const std::uint32_t left[4] = {a(r, k), a(r + 8, k), a(r, k + 4), a(r + 8, k + 4)};
    const std::uint32_t right[2] = {b(k), b(k + 4)};
    float sums[4] = {};
    mma_tf32(sums, left, right);
    for (int e = 0; e < 4; ++e) {
      c[static_cast<std::size_t>((r + e / 2 * 8) * 8 + 2 * k + e % 2)] = sums[e];
    }
  });
  for (int row = 0; row < 16; ++row) {
    for (int column = 0; column < 8; ++column) {
      const float expected = column == 3 ? 36 * static_cast<float>(row) + 21 : 0;
      EXPECT_EQ(c[static_cast<std::size_t>(row * 8 + column)], expected) << row << " " << column;
    }
  }
}

// Of 1 + 2^-10 + 2^-11 tensor cores see 1 + 2^-10. They cut sums off towards zero.
TEST(Tf32Emulator, MmaCutsItsOperandsAndSumsOff) {
  const auto product = [](float a, float b, float start) {
    float result = 0;
    emulate({.threads = 32}, [&] {
      const bool first = thread_index() == 0;
      const std::uint32_t left[4] = {first ? bits_of(a) : 0}, right[2] = {first ? bits_of(b) : 0};
      float sums[4] = {start};
      mma_tf32(sums, left, right);
      if (first) result = sums[0];
    });
    return result;
  };
  EXPECT_EQ(product(1 + 0x1p-10F + 0x1p-11F, 1, 0), 1 + 0x1p-10F);
  EXPECT_EQ(product(1, -1 - 0x1p-10F - 0x1p-11F, 0), -1 - 0x1p-10F);
  EXPECT_EQ(product(0x1.8p-24F, 1, 1), 1);
  EXPECT_EQ(product(-0x1.8p-24F, 1, -1), -1);
  EXPECT_EQ(product(-0x1p-30F, 1, 1), 1 - 0x1p-24F);
  EXPECT_TRUE(std::isnan(product(NAN, 1, 0)));
}

TEST(FlashTf32, RoundsHalvesAwayFromZero) {
  const auto rounded = [](float value) { return float_of(rounded_to_tf32(value)); };
  EXPECT_EQ(rounded(1 + 0x1p-10F), 1 + 0x1p-10F);
  EXPECT_EQ(rounded(1 + 0x1p-11F), 1 + 0x1p-10F);
  EXPECT_EQ(rounded(1 + 0x1.ffep-12F), 1);
  EXPECT_EQ(rounded(-1 - 0x1p-11F), -1 - 0x1p-10F);
  EXPECT_EQ(rounded(2 - 0x1p-23F), 2);
  EXPECT_EQ(rounded(-0.0F), 0);
}

// Tensor cores see all but 2^-23 of an operand.
TEST(FlashTf32, TwoPartsAreTheWholeOperand) {
  std::mt19937 random(1);
  std::normal_distribution<float> draw;
  for (int i = 0; i < 10'000; ++i) {
    const float value = std::ldexp(draw(random), i % 40 - 20);
    Split<1> both{};
    both.set(0, value);
    EXPECT_EQ(both.high[0] & 0x1fffU, 0U);
    EXPECT_EQ(float_of(both.high[0]) + float_of(both.low[0]), value);
    const float seen = float_of(both.high[0]) + float_of(both.low[0] & 0xffffe000U);
    EXPECT_LE(std::abs(seen - value), 0x1p-23F * std::abs(value)) << value;
  }
}

TEST(FlashTf32, EveryHeadDimension) {
  for (int head_dim = 1; head_dim <= 128; ++head_dim) {
    check_tf32({.sequence = 37, .head_dim = head_dim, .causal = head_dim % 2 == 0}, 1,
               static_cast<std::uint32_t>(head_dim));
  }
}

TEST(FlashTf32, SequencesThatNoTileDivides) {
  std::uint32_t seed = 200;
  for (const bool causal : {false, true}) {
    for (const int sequence : {1, 31, 33, 63, 65, 129, 191}) {
      check_tf32({.sequence = sequence, .head_dim = 64, .causal = causal}, 2, ++seed);
      check_tf32({.sequence = sequence, .head_dim = 100, .causal = causal}, 1, ++seed);
    }
  }
}

// Each group of a block has several tiles, or fewer than others, or none.
TEST(FlashTf32, Groups) {
  std::uint32_t seed = 300;
  for (const int groups : {1, 2, 4}) {
    for (const bool causal : {false, true}) {
      for (const int head_dim : {32, 64, 96, 128}) {
        check_tf32({.sequence = 140, .head_dim = head_dim, .causal = causal}, groups, ++seed);
      }
    }
  }
}

// Copies of 4 bytes, d that fills rows of 16 bytes or not.
TEST(FlashTf32, MatricesThatAreNotAligned) {
  for (const int shift : {1, 2, 3}) {
    const auto seed = static_cast<std::uint32_t>(400 + shift);
    check_tf32({.heads = 2, .sequence = 100, .head_dim = 64, .causal = true, .shift = shift}, 2,
               seed);
    check_tf32({.heads = 2, .sequence = 70, .head_dim = 127, .shift = shift}, 4, seed);
  }
}

TEST(FlashTf32, BatchesAndHeads) {
  check_tf32({.batch = 2, .heads = 3, .sequence = 70, .head_dim = 24, .causal = true}, 2, 500);
  check_tf32({.batch = 2, .heads = 2, .sequence = 70, .head_dim = 80}, 1, 501);
}

// Keys that fill up the last tile have a score of 0, and exp2(0 - lse) would be infinite.
TEST(FlashTf32, ScoresFarBelowZero) {
  for (const bool causal : {false, true}) {
    check_tf32({.sequence = 100, .head_dim = 64, .causal = causal, .offset = 4}, 4, 600);
    check_tf32({.sequence = 100, .head_dim = 128, .causal = causal, .offset = 4}, 1, 601);
  }
}

// A GPU does not define when a copy lands, or which warp goes first.
TEST(FlashTf32, AnyOrderOfWarpsAndCopies) {
  for (std::uint32_t seed = 700; seed < 710; ++seed) {
    check_tf32({.sequence = 140, .head_dim = 64, .causal = seed % 2 == 0}, 2, seed);
  }
}

TEST(FlashTf32, NonFiniteRowsOfQStayInTheirRow) {
  for (const float wrong : {NAN, INFINITY}) {
    AttentionCase attention(Element::kFp32, {.sequence = 70, .head_dim = 64}, 800);
    const Problem& p = attention.problem;
    attention.set(p.q, 0, 0, 37, 9, wrong);
    forward_of<Tf32Forward>(p, 2, 800);
    for (int row = 0; row < 70; ++row) {
      EXPECT_EQ(std::isfinite(p.lse[row]), row != 37) << row;
      EXPECT_EQ(std::isfinite(attention.get(p.o, 0, 0, row, 5)), row != 37) << row;
    }
  }
}

// The largest errors of o, dq, dk and dv.
struct Errors {
  double of[4];

  template <template <int> class Forward, template <int> class Backward>
  static Errors after(const AttentionCase& attention) {
    forward_of<Forward>(attention.problem, 2, 900);
    backward_of<Backward>(attention.problem, 2, 900);
    return {{attention.output_error(), attention.dq_error(), attention.dk_error(),
             attention.dv_error()}};
  }
};

void round_to_tf32(AttentionCase& attention, const Matrix& matrix) {
  for (int row = 0; row < attention.problem.sequence; ++row) {
    for (int c = 0; c < attention.problem.head_dim; ++c) {
      const float value = attention.get(matrix, 0, 0, row, c);
      attention.set(matrix, 0, 0, row, c, float_of(rounded_to_tf32(value)));
    }
  }
}

// One product of tf32 has at least the errors that rounded inputs cause.
TEST(FlashTf32, IsNearlyAsExactAsFp32) {
  for (const int head_dim : {64, 128}) {
    for (const float offset : {0.0F, 2.0F}) {
      const Shape shape{
          .sequence = 200, .head_dim = head_dim, .causal = offset == 0, .offset = offset};
      SCOPED_TRACE(name_of(shape));
      AttentionCase attention(Element::kFp32, shape, 900);
      const Errors fp32 = Errors::after<FloatForward, FloatBackward>(attention);
      const Errors split = Errors::after<Tf32Forward, Tf32Backward>(attention);
      const Problem& p = attention.problem;
      for (const Matrix& input : {p.q, p.k, p.v, p.d_o}) round_to_tf32(attention, input);
      const Errors tf32 = Errors::after<FloatForward, FloatBackward>(attention);
      for (int i = 0; i < 4; ++i) {
        EXPECT_LE(split.of[i], 5 * fp32.of[i]) << i;
        EXPECT_LE((offset == 0 ? 250 : 50) * split.of[i], tf32.of[i]) << i;
      }
    }
  }
}

// Tensor cores cut sums off, which adds up if they keep the sums of a long loop.
TEST(FlashTf32, LongSumsAreRounded) {
  AttentionCase attention(Element::kFp32, {.sequence = 1000, .head_dim = 16}, 901);
  const Errors split = Errors::after<Tf32Forward, Tf32Backward>(attention);
  for (const double error : split.of) EXPECT_LE(error, 1.2e-6);
}

}  // namespace
}  // namespace sweepd::gpu
