// C = A B or C += A B of tiles in the caches, in fp32. A is read one element at a time, so it may
// be transposed; B and C are read as vectors along their rows.
#pragma once

#include "workloads/flash/simd.h"

namespace sweepd::flash::SWEEPD_FLASH_ISA {

struct TileA {
  const float* data;
  int64_t row_stride, column_stride;
};
struct TileB {
  const float* data;
  int64_t stride;
};
struct TileC {
  float* data;
  int64_t stride;
};

enum class Into { kSet, kAdd };

// The parts that a causal mask makes unnecessary. Row r of C, for tiles that begin `shift` apart:
struct Spare {
  enum Kind {
    kNothing,
    kColumnsBefore,  // needs no columns before r + shift
    kDepthAfter,     // A is zero beyond k = r + shift
    kDepthBefore     // A is zero before k = r + shift
  };
  Kind kind = kNothing;
  int64_t shift = 0;
  // Zeros of A times anything are zero, unless B contains infinity or NaN. Rows are then computed
  // one by one, without the masked elements.
  bool one_by_one = false;
};

// Registers: rows x vectors accumulators, the vectors of B, and one element of A.
#if defined(__AVX512F__)
constexpr int kMaxVectors = 4;
constexpr int kMaxRows[] = {0, 14, 12, 8, 6};
#else
constexpr int kMaxVectors = 2;
constexpr int kMaxRows[] = {0, 8, 6};
#endif

// Unrolled explicitly, or GCC keeps the sums in memory.
template <int kRows, int kVectors>
void multiply(int64_t depth, TileA a, TileB b, TileC c, Into into) {
  Floats sum[kRows][kVectors];
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
    for (int n = 0; n < kVectors; ++n) sum[r][n] = Floats{};
  }
  const float* row = b.data;
  const float* column = a.data;
  for (int64_t k = 0; k < depth; ++k, row += b.stride, column += a.column_stride) {
    Floats right[kVectors];
#pragma GCC unroll 16
    for (int n = 0; n < kVectors; ++n) right[n] = load(row + n * kLanes);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const Floats left = all(column[r * a.row_stride]);
#pragma GCC unroll 16
      for (int n = 0; n < kVectors; ++n) sum[r][n] += left * right[n];
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
    float* out = c.data + r * c.stride;
#pragma GCC unroll 16
    for (int n = 0; n < kVectors; ++n) {
      if (into == Into::kAdd) sum[r][n] += load(out + n * kLanes);
      store(out + n * kLanes, sum[r][n]);
    }
  }
}

using Multiply = void (*)(int64_t, TileA, TileB, TileC, Into);

// kMultiply[v][r]: r rows, v vectors; null if they do not fit into the registers.
struct MultiplyTable {
  Multiply entry[kMaxVectors + 1][kMaxRows[1] + 1] = {};

  template <int kVectors, int kRows = kMaxRows[kVectors]>
  constexpr void fill() {
    entry[kVectors][kRows] = &multiply<kRows, kVectors>;
    if constexpr (kRows > 1) fill<kVectors, kRows - 1>();
  }
  constexpr MultiplyTable() {
    fill<1>();
    fill<2>();
#if defined(__AVX512F__)
    fill<3>();
    fill<4>();
#endif
  }
};
inline constexpr MultiplyTable kMultiply;

// The depths [begin, end) that rows [first, first + count) of C need.
struct Depths {
  int64_t begin, end;
};
inline Depths depths_of(const Spare& spare, int64_t depth, int64_t first, int64_t count) {
  switch (spare.kind) {
    case Spare::kDepthAfter:
      return {0, most(0, least(depth, first + count + spare.shift))};
    case Spare::kDepthBefore:
      return {least(depth, most(0, first + spare.shift)), depth};
    default:
      return {0, depth};
  }
}

// C: rows x columns. Columns are rounded up to whole vectors, for which B and C have room.
inline void gemm(int64_t rows, int64_t columns, int64_t depth, TileA a, TileB b, TileC c, Into into,
                 const Spare& spare = {}) {
  const int64_t all_vectors = (columns + kLanes - 1) / kLanes;
  for (int64_t vector = 0; vector < all_vectors;) {
    const int64_t vectors = least(kMaxVectors, all_vectors - vector);
    const int64_t begin = vector * kLanes, end = begin + vectors * kLanes;
    const int64_t group = spare.one_by_one ? 1 : kMaxRows[vectors];
    for (int64_t first = 0; first < rows; first += group) {
      if (spare.kind == Spare::kColumnsBefore && end <= first + spare.shift) break;
      const int64_t count = least(group, rows - first);
      const Depths depths = depths_of(spare, depth, first, count);
      if (depths.begin >= depths.end && into == Into::kAdd) continue;
      kMultiply.entry[vectors][count](
          most(0, depths.end - depths.begin),
          {a.data + first * a.row_stride + depths.begin * a.column_stride, a.row_stride,
           a.column_stride},
          {b.data + depths.begin * b.stride + begin, b.stride},
          {c.data + first * c.stride + begin, c.stride}, into);
    }
    vector += vectors;
  }
}

}  // namespace sweepd::flash::SWEEPD_FLASH_ISA
