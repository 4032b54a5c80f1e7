// Products of fp32 operands on tensor cores ("3xTF32"), as a warp computes them since sm_80.
//
// tf32 has 11 significant bits. An operand x is split into `high`, x rounded to tf32, and `low`,
// the rest, of which tensor cores ignore at most 2^-23 of x. A product is low high + high low +
// high high; low low, at most 2^-22 of it, is left out. Tensor cores cut their sums off instead of
// rounding them, so they add up one tile at a time, and multiply-adds add up the tiles.
//
// Fragments of m16n8k8, for lane l, with r = l / 4 and c = l % 4:
//   accumulator 16 x 8: {row r: 2c, 2c+1}, {row r+8: the same}
//   A 16 x 8:           a0 {row r: c}, a1 {row r+8: c}, a2 = a0 and a3 = a1 at column + 4
//   B 8 x 8:            b0 {row c: column r}, b1 {row c+4: column r}
// The terms of a sum have any order. If terms c and c+4 are the columns 2c and 2c+1 of a matrix,
// its accumulators are A's: "in pairs".
#pragma once

#include "workloads/cuda/flash/float_tiles.cuh"

#ifndef __CUDACC__
#include <bit>
#endif

namespace sweepd::gpu {

#ifdef __CUDACC__

SWEEPD_DEVICE std::uint32_t bits_of(float value) {
  return __float_as_uint(value);
}
SWEEPD_DEVICE float float_of(std::uint32_t bits) {
  return __uint_as_float(bits);
}
// The hardware ignores the lowest 13 bits of operands.
SWEEPD_DEVICE void mma_tf32(float (&c)[4], const std::uint32_t (&a)[4],
                            const std::uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
      "{%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

#else

inline std::uint32_t bits_of(float value) {
  return std::bit_cast<std::uint32_t>(value);
}
inline float float_of(std::uint32_t bits) {
  return std::bit_cast<float>(bits);
}
void mma_tf32(float (&c)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]);

#endif

// Rounds to nearest, halves away from zero, as cvt.rna.tf32 does; ptxas makes four instructions of
// that, and two of this. Not for NaN.
SWEEPD_DEVICE std::uint32_t rounded_to_tf32(float value) {
  return (bits_of(value) + 0x1000U) & 0xffffe000U;
}

// The two parts of a fragment's elements. A NaN or infinity makes `low` NaN.
template <int kCount>
struct Split {
  std::uint32_t high[kCount], low[kCount];

  SWEEPD_DEVICE void set(int i, float value) {
    high[i] = rounded_to_tf32(value);
    low[i] = bits_of(value - float_of(high[i]));
  }
};
using Left = Split<4>;
using Right = Split<2>;

SWEEPD_DEVICE int lane_row() {
  return thread_index() % 32 / 4;
}
SWEEPD_DEVICE int lane_column() {
  return thread_index() % 4;
}

// Loads A: rows `row` to row + 15, columns `column` to column + 7.
template <int kStride>
SWEEPD_DEVICE Left load_left(FloatTile<kStride> tile, int row, int column) {
  Left left;
  SWEEPD_UNROLL
  for (int e = 0; e < 4; ++e) {
    left.set(
        e, load_shared(tile.at(row + lane_row() + e % 2 * 8, column + lane_column() + e / 2 * 4)));
  }
  return left;
}
// The same in pairs.
template <int kStride>
SWEEPD_DEVICE Left load_left_in_pairs(FloatTile<kStride> tile, int row, int column) {
  Left left;
  SWEEPD_UNROLL
  for (int half = 0; half < 2; ++half) {
    float first, second;
    load_shared(first, second, tile.at(row + lane_row() + half * 8, column + 2 * lane_column()));
    left.set(half, first);
    left.set(2 + half, second);
  }
  return left;
}
// Loads B whose columns are the tile's rows from `row` on, and whose rows are its columns.
template <int kStride>
SWEEPD_DEVICE Right load_right_of_rows(FloatTile<kStride> tile, int row, int column) {
  Right right;
  SWEEPD_UNROLL
  for (int e = 0; e < 2; ++e) {
    right.set(e, load_shared(tile.at(row + lane_row(), column + lane_column() + 4 * e)));
  }
  return right;
}
// Loads B whose rows are the tile's rows, in pairs.
template <int kStride>
SWEEPD_DEVICE Right load_right_in_pairs(FloatTile<kStride> tile, int row, int column) {
  Right right;
  SWEEPD_UNROLL
  for (int e = 0; e < 2; ++e) {
    right.set(e, load_shared(tile.at(row + 2 * lane_column() + e, column + lane_row())));
  }
  return right;
}

// Adds to column j of accumulators what kTiles A's, one below the other, make of one B. The small
// terms come first.
template <int kTiles, int kColumns>
SWEEPD_DEVICE void add_split(float (&sum)[kTiles][kColumns][4], int j, const Left (&left)[kTiles],
                             const Right& right) {
  SWEEPD_UNROLL
  for (int t = 0; t < kTiles; ++t) mma_tf32(sum[t][j], left[t].low, right.high);
  SWEEPD_UNROLL
  for (int t = 0; t < kTiles; ++t) mma_tf32(sum[t][j], left[t].high, right.low);
  SWEEPD_UNROLL
  for (int t = 0; t < kTiles; ++t) mma_tf32(sum[t][j], left[t].high, right.high);
}

// sum += rows `row` to row + 16 kTiles - 1 of `left` times the first 8 kColumns rows of `right`.
template <int kDim, int kTiles, int kColumns>
SWEEPD_DEVICE void add_split_dots(float (&sum)[kTiles][kColumns][4], FloatTile<kDim + 4> left,
                                  int row, FloatTile<kDim + 4> right) {
  SWEEPD_UNROLL_TWICE
  for (int i = 0; i < kDim / 8; ++i) {
    Left a[kTiles];
    SWEEPD_UNROLL
    for (int t = 0; t < kTiles; ++t) a[t] = load_left(left, row + 16 * t, 8 * i);
    SWEEPD_UNROLL
    for (int j = 0; j < kColumns; ++j) {
      add_split(sum, j, a, load_right_of_rows(right, 8 * j, 8 * i));
    }
  }
}

// A row of A's for each row of accumulators, in pairs.
template <int kTiles, int kTerms>
SWEEPD_DEVICE void split(Left (&to)[kTiles][kTerms], const float (&from)[kTiles][kTerms][4]) {
  SWEEPD_UNROLL
  for (int t = 0; t < kTiles; ++t) {
    SWEEPD_UNROLL
    for (int i = 0; i < kTerms; ++i) {
      SWEEPD_UNROLL
      for (int e = 0; e < 4; ++e) to[t][i].set(e / 2 + e % 2 * 2, from[t][i][e]);
    }
  }
}

// sum = factors[t][row r or r+8] sum + left times the first 8 kTerms rows of `right`.
template <int kTiles, int kTerms, int kColumns, int kStride>
SWEEPD_DEVICE void add_split_product(float (&sum)[kTiles][kColumns][4],
                                     const float (&factors)[kTiles][2],
                                     const Left (&left)[kTiles][kTerms], FloatTile<kStride> right) {
  constexpr int kPart = 2;  // columns at a time: registers do not hold a second sum
  SWEEPD_UNROLL
  for (int first = 0; first < kColumns; first += kPart) {
    float part[kTiles][kPart][4] = {};
    SWEEPD_UNROLL
    for (int i = 0; i < kTerms; ++i) {
      Left a[kTiles];
      SWEEPD_UNROLL
      for (int t = 0; t < kTiles; ++t) a[t] = left[t][i];
      SWEEPD_UNROLL
      for (int j = 0; j < kPart; ++j) {
        add_split(part, j, a, load_right_in_pairs(right, 8 * i, 8 * (first + j)));
      }
    }
    SWEEPD_UNROLL
    for (int t = 0; t < kTiles; ++t) {
      SWEEPD_UNROLL
      for (int j = 0; j < kPart; ++j) {
        SWEEPD_UNROLL
        for (int e = 0; e < 4; ++e) {
          float& element = sum[t][first + j][e];
          element = fmaf(element, factors[t][e / 2], part[t][j][e]);
        }
      }
    }
  }
}

// Writes factors[t][row r or r+8] sum to rows `row` and following of `to`, where sum_groups adds
// them up.
template <int kTiles, int kColumns, int kStride>
SWEEPD_DEVICE void put_split(FloatTile<kStride> to, int row,
                             const float (&sum)[kTiles][kColumns][4],
                             const float (&factors)[kTiles][2]) {
  SWEEPD_UNROLL
  for (int t = 0; t < kTiles; ++t) {
    SWEEPD_UNROLL
    for (int j = 0; j < kColumns; ++j) {
      SWEEPD_UNROLL
      for (int e = 0; e < 4; ++e) {
        store_shared(
            to.at(row + 16 * t + lane_row() + e / 2 * 8, 8 * j + 2 * lane_column() + e % 2),
            sum[t][j][e] * factors[t][e / 2]);
      }
    }
  }
}

}  // namespace sweepd::gpu
