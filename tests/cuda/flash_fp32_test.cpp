// Runs the kernels of fp32.cu on the emulator and compares them with plain loops in double.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "tests/cuda/attention_case.h"
#include "workloads/cuda/flash/float_backward.cuh"
#include "workloads/cuda/flash/float_forward.cuh"
#include "workloads/cuda/flash/head_dims.h"
#include "workloads/cuda/flash/row_kernels.cuh"

namespace sweepd::gpu {
namespace {

template <class Kernel>
void run_groups(const Problem& p, int blocks, int groups, std::uint32_t seed) {
  emulate(
      {blocks, p.heads, p.batch, groups * FloatThread::kGroup, Kernel::shared_bytes(groups), seed},
      [&p] {
        Kernel kernel;
        kernel.run(p);
      });
}

void run_forward(const Problem& p, int groups, std::uint32_t seed) {
  with_head_dim(p.head_dim, [&](auto dim) {
    using Kernel = FloatForward<dim>;
    run_groups<Kernel>(p, blocks_of(p.sequence, Kernel::kRows), groups, seed);
  });
}

void run_backward(const Problem& p, int groups, std::uint32_t seed) {
  using Sums = RowSums<Element::kFp32>;
  emulate({padded_rows(p.sequence) / Sums::kRows, p.heads, p.batch, Sums::kThreads, 0, seed},
          [&p] { Sums().run(p); });
  with_head_dim(p.head_dim, [&](auto dim) {
    using Kernel = FloatBackward<dim>;
    run_groups<Kernel>(p, blocks_of(p.sequence, Kernel::kKeys), groups, seed);
  });
}

void check_fp32(const Shape& shape, int groups, std::uint32_t seed) {
  SCOPED_TRACE(name_of(shape) + " groups " + std::to_string(groups));
  AttentionCase attention(Element::kFp32, shape, seed);
  run_forward(attention.problem, groups, seed);
  run_backward(attention.problem, groups, seed);
  attention.expect_right();
}

TEST(FlashFp32, EveryHeadDimension) {
  for (int head_dim = 1; head_dim <= 128; ++head_dim) {
    check_fp32({.sequence = 37, .head_dim = head_dim, .causal = head_dim % 2 == 0}, 1,
               static_cast<std::uint32_t>(head_dim));
  }
}

TEST(FlashFp32, SequencesThatNoTileDivides) {
  std::uint32_t seed = 200;
  for (const bool causal : {false, true}) {
    for (const int sequence : {1, 31, 33, 63, 65, 129, 191}) {
      check_fp32({.sequence = sequence, .head_dim = 64, .causal = causal}, 2, ++seed);
      check_fp32({.sequence = sequence, .head_dim = 100, .causal = causal}, 1, ++seed);
    }
  }
}

// Each group of a block has several tiles, or fewer than others, or none.
TEST(FlashFp32, Groups) {
  std::uint32_t seed = 300;
  for (const int groups : {1, 2, 4}) {
    for (const bool causal : {false, true}) {
      check_fp32({.sequence = 330, .head_dim = 32, .causal = causal}, groups, ++seed);
      check_fp32({.sequence = 300, .head_dim = 64, .causal = causal}, groups, ++seed);
      check_fp32({.sequence = 150, .head_dim = 96, .causal = causal}, groups, ++seed);
      check_fp32({.sequence = 150, .head_dim = 128, .causal = causal}, groups, ++seed);
    }
  }
}

// Copies of 4 bytes, d that fills rows of 16 bytes or not.
TEST(FlashFp32, MatricesThatAreNotAligned) {
  for (const int shift : {1, 2, 3}) {
    const auto seed = static_cast<std::uint32_t>(400 + shift);
    check_fp32({.heads = 2, .sequence = 100, .head_dim = 64, .causal = true, .shift = shift}, 2,
               seed);
    check_fp32({.heads = 2, .sequence = 70, .head_dim = 127, .shift = shift}, 4, seed);
  }
}

TEST(FlashFp32, AlignedMatricesHaveAlignedRows) {
  alignas(16) float data[8] = {};
  EXPECT_TRUE(aligned({data, 8192, 64, 128}, 64));
  EXPECT_FALSE(aligned({data + 1, 8192, 64, 128}, 64));
  EXPECT_FALSE(aligned({data, 8193, 64, 128}, 64));
  EXPECT_FALSE(aligned({data, 8192, 65, 128}, 64));
  EXPECT_FALSE(aligned({data, 8192, 64, 130}, 64));
  EXPECT_FALSE(aligned({data, 8192, 64, 128}, 62));
}

TEST(FlashFp32, BatchesAndHeads) {
  check_fp32({.batch = 2, .heads = 3, .sequence = 70, .head_dim = 24, .causal = true}, 2, 500);
  check_fp32({.batch = 2, .heads = 2, .sequence = 70, .head_dim = 80}, 1, 501);
}

// Keys that fill up the last tile have a score of 0, and exp2(0 - lse) would be infinite.
TEST(FlashFp32, ScoresFarBelowZero) {
  for (const bool causal : {false, true}) {
    check_fp32({.sequence = 100, .head_dim = 64, .causal = causal, .offset = 4}, 4, 600);
    check_fp32({.sequence = 100, .head_dim = 128, .causal = causal, .offset = 4}, 1, 601);
  }
}

// A GPU does not define when a copy lands, or which warp goes first.
TEST(FlashFp32, AnyOrderOfWarpsAndCopies) {
  for (std::uint32_t seed = 700; seed < 720; ++seed) {
    check_fp32({.sequence = 200, .head_dim = 64, .causal = seed % 2 == 0}, 2, seed);
  }
}

// The rows whose o or lse is not finite, as a string such as "3 4 5 ".
std::string wrong_rows(const AttentionCase& attention) {
  const Problem& p = attention.problem;
  std::string rows;
  for (int row = 0; row < p.sequence; ++row) {
    bool finite = std::isfinite(p.lse[row]);
    for (int c = 0; c < p.head_dim; ++c) {
      finite = finite && std::isfinite(attention.get(p.o, 0, 0, row, c));
    }
    if (!finite) rows += std::to_string(row) + " ";
  }
  return rows;
}

TEST(FlashFp32, NonFiniteRowsOfQStayInTheirRow) {
  for (const float wrong :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    for (const int head_dim : {64, 128}) {
      AttentionCase attention(Element::kFp32, {.sequence = 140, .head_dim = head_dim}, 800);
      for (int c = 0; c < head_dim; ++c) attention.set(attention.problem.q, 0, 0, 77, c, wrong);
      run_forward(attention.problem, 2, 800);
      EXPECT_EQ(wrong_rows(attention), "77 ");
    }
  }
}

// A score of minus infinity hides a key; a row that sees no key at all has no result.
TEST(FlashFp32, ScoresOfMinusInfinity) {
  AttentionCase attention(Element::kFp32, {.sequence = 140, .head_dim = 16}, 801);
  const Problem& p = attention.problem;
  for (int row = 0; row < 140; ++row) {
    for (int c = 0; c < 16; ++c) {
      attention.set(p.q, 0, 0, row, c, 1);
      attention.set(p.k, 0, 0, row, c, row < 100 ? -INFINITY : 1);
      attention.set(p.v, 0, 0, row, c, static_cast<float>(row));
      if (row == 5) attention.set(p.q, 0, 0, row, c, c == 0 ? -INFINITY : 0);
    }
  }
  for (int row = 0; row < 140; ++row) attention.set(p.k, 0, 0, row, 0, 1);
  run_forward(p, 4, 801);
  EXPECT_EQ(wrong_rows(attention), "5 ");
  EXPECT_NEAR(attention.get(p.o, 0, 0, 7, 3), 119.5, 1e-3);  // the mean of 100 to 139
}

TEST(FlashFp32, NonFiniteKeysReachTheRowsThatSeeThem) {
  AttentionCase attention(Element::kFp32, {.sequence = 140, .head_dim = 64, .causal = true}, 802);
  attention.set(attention.problem.k, 0, 0, 130, 9, std::numeric_limits<float>::quiet_NaN());
  run_forward(attention.problem, 2, 802);
  EXPECT_EQ(wrong_rows(attention), "130 131 132 133 134 135 136 137 138 139 ");
}

}  // namespace
}  // namespace sweepd::gpu
