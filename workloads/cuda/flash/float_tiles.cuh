// The parts of the fp32 kernels. Each sum is a chain of fused multiply-adds, not a product of
// tensor cores, so that fp32 means fp32 (tf32 keeps 10 bits of the fraction).
//
// A block consists of groups of 64 threads, each with tiles of its own: a group takes every n-th
// tile of the loop, and the groups' sums are added at the end. A group is 8 x 8 threads, {y, x}. A
// thread computes up to 8 x 8 elements of a product from rows 8 apart, so that it loads 16 bytes
// from shared memory for 16 multiply-adds of 8 x 8 elements; a warp is 4 x 8 threads, and the eight
// lanes that load 16 bytes together access 32 banks.
#pragma once

#include "workloads/cuda/flash/copies.cuh"
#include "workloads/cuda/flash/device.cuh"

namespace sweepd::gpu {

// A row-major matrix in shared memory. A stride of 4 more than a multiple of 32 puts eight rows at
// one column into different banks; one of 8 more does so for 4 x 8 threads that store one element.
template <int kStride>
struct FloatTile {
  static constexpr int kRowBytes = kStride * 4;
  Shared base;
  SWEEPD_DEVICE Shared at(int row, int column) const {
    return base + static_cast<Shared>(row * kRowBytes + column * 4);
  }
};

// A thread's place in its block.
struct FloatThread {
  static constexpr int kGroup = 64;  // threads
  int group, groups, index, y, x;

  SWEEPD_DEVICE static FloatThread here() {
    const int lane = thread_index() % 32, warp = uniform(thread_index() / 32);
    return {warp / 2, block_threads() / kGroup, warp % 2 * 32 + lane, warp % 2 * 4 + lane / 8,
            lane % 8};
  }
  SWEEPD_DEVICE void sync() const { sync_threads(1 + group, kGroup); }
};

// Whether rows can be accessed 16 bytes at a time.
SWEEPD_DEVICE bool aligned(const Matrix& matrix, int head_dim) {
  const std::int64_t strides = matrix.batch_stride | matrix.head_stride | matrix.row_stride;
  return (strides | head_dim) % 4 == 0 && reinterpret_cast<std::uintptr_t>(matrix.data) % 16 == 0;
}

// Starts copying rows `first` to first + kRows - 1 of the block's head, with zeros beyond the
// sequence and beyond d. `threads` threads call it, with their index. `vectors`: the matrix is
// aligned.
template <int kRows, int kDim>
SWEEPD_DEVICE void copy_rows(FloatTile<kDim + 4> to, const Problem& p, const Matrix& matrix,
                             int first, bool vectors, int index, int threads) {
  constexpr int kChunks = kDim / 4;
  const auto* base = row_of<const float>(matrix, block_z(), block_y(), 0);
  SWEEPD_NO_UNROLL
  for (int i = index; i < kRows * kChunks; i += threads) {
    const int row = i / kChunks, column = i % kChunks * 4;
    const int left = first + row < p.sequence ? p.head_dim - column : 0;  // floats that exist
    // Nothing is read beyond the end, but the address stays inside.
    const float* from = left > 0 ? base + (first + row) * matrix.row_stride + column : base;
    const Shared place = to.at(row, column);
    if (vectors) {
      copy_async(place, from, left > 0);
    } else {
      SWEEPD_UNROLL
      for (int e = 0; e < 4; ++e) {
        copy_float_async(place + static_cast<Shared>(4 * e), e < left ? from + e : base, e < left);
      }
    }
  }
}

// The same for a tile of one group, without the arithmetic of bounds where all rows exist.
template <int kRows, int kDim>
SWEEPD_DEVICE void copy_tile(FloatTile<kDim + 4> to, const Problem& p, const Matrix& matrix,
                             int first, bool vectors, const FloatThread& thread) {
  if (!vectors || first + kRows > p.sequence) {
    copy_rows<kRows, kDim>(to, p, matrix, first, vectors, thread.index, FloatThread::kGroup);
    return;
  }
  const auto* base = row_of<const float>(matrix, block_z(), block_y(), first + thread.y);
  SWEEPD_UNROLL
  for (int c = 0; c < kDim; c += 32) {
    const int column = c + thread.x * 4;
    const bool valid = column < p.head_dim;
    const float* from = base + (valid ? column : 0);
    SWEEPD_UNROLL
    for (int row = 0; row < kRows; row += 8) {
      copy_async(to.at(thread.y + row, column), from, valid);
      from += 8 * matrix.row_stride;
    }
  }
}

// sum[i][j] += row y + 8 i of `left` times row x + 8 j of `right`.
template <int kDim, int kI, int kJ>
SWEEPD_DEVICE void add_dots(float (&sum)[kI][kJ], FloatTile<kDim + 4> left,
                            FloatTile<kDim + 4> right, const FloatThread& thread) {
  SWEEPD_UNROLL_TWICE
  for (int c = 0; c < kDim; c += 4) {
    float b[kJ][4];
    SWEEPD_UNROLL
    for (int j = 0; j < kJ; ++j) load_shared(b[j], right.at(thread.x + 8 * j, c));
    SWEEPD_UNROLL
    for (int i = 0; i < kI; ++i) {
      float a[4];
      load_shared(a, left.at(thread.y + 8 * i, c));
      SWEEPD_UNROLL
      for (int e = 0; e < 4; ++e) {
        SWEEPD_UNROLL
        for (int j = 0; j < kJ; ++j) sum[i][j] = fmaf(a[e], b[j][e], sum[i][j]);
      }
    }
  }
}

// Adds factors[i] times 4 x kColumns / 4 elements of row `row` to sum[i]: columns 4 x + 32 j of the
// tile and the next three.
template <int kI, int kColumns, int kStride>
SWEEPD_DEVICE void add_row(float (&sum)[kI][kColumns], const float (&factors)[kI],
                           FloatTile<kStride> right, int row, const FloatThread& thread) {
  SWEEPD_UNROLL
  for (int j = 0; j < kColumns / 4; ++j) {
    float b[4];
    load_shared(b, right.at(row, thread.x * 4 + 32 * j));
    SWEEPD_UNROLL
    for (int i = 0; i < kI; ++i) {
      SWEEPD_UNROLL
      for (int c = 0; c < 4; ++c) sum[i][4 * j + c] = fmaf(factors[i], b[c], sum[i][4 * j + c]);
    }
  }
}

// sum[i] += row y + 8 i of `scores`, kTerms long, times `right`.
template <int kTerms, int kI, int kColumns, int kStride>
SWEEPD_DEVICE void add_product(float (&sum)[kI][kColumns], FloatTile<kTerms + 8> scores,
                               FloatTile<kStride> right, const FloatThread& thread) {
  SWEEPD_UNROLL_TWICE
  for (int r = 0; r < kTerms; r += 4) {
    float a[kI][4];
    SWEEPD_UNROLL
    for (int i = 0; i < kI; ++i) load_shared(a[i], scores.at(thread.y + 8 * i, r));
    SWEEPD_UNROLL
    for (int e = 0; e < 4; ++e) {
      float factors[kI];
      SWEEPD_UNROLL
      for (int i = 0; i < kI; ++i) factors[i] = a[i][e];
      add_row(sum, factors, right, r + e, thread);
    }
  }
}

// sum[i] += column 4 y + i of `scores`, kTerms long, times `right`.
template <int kTerms, int kColumns, int kScores, int kStride>
SWEEPD_DEVICE void add_transposed(float (&sum)[4][kColumns], FloatTile<kScores> scores,
                                  FloatTile<kStride> right, const FloatThread& thread) {
  SWEEPD_UNROLL_BY_8
  for (int r = 0; r < kTerms; ++r) {
    float a[4];
    load_shared(a, scores.at(r, thread.y * 4));
    add_row(sum, a, right, r, thread);
  }
}

// Writes factors[i] sum[i] to row y + 8 i of `to`, where sum_groups adds them up.
template <int kI, int kColumns, int kStride>
SWEEPD_DEVICE void put(FloatTile<kStride> to, const float (&sum)[kI][kColumns],
                       const float (&factors)[kI], const FloatThread& thread) {
  SWEEPD_UNROLL
  for (int i = 0; i < kI; ++i) {
    SWEEPD_UNROLL
    for (int j = 0; j < kColumns / 4; ++j) {
      const float* four = sum[i] + 4 * j;
      store_shared(to.at(thread.y + 8 * i, thread.x * 4 + 32 * j), four[0] * factors[i],
                   four[1] * factors[i], four[2] * factors[i], four[3] * factors[i]);
    }
  }
}

// Adds four columns of a row of dq, scaled, where they exist. `vectors`: the matrix is aligned.
SWEEPD_DEVICE void add_columns(float* row, int column, const float (&four)[4], int head_dim,
                               bool vectors) {
  if (vectors) {
    if (column < head_dim) add_global(row + column, four);
    return;
  }
  SWEEPD_UNROLL
  for (int e = 0; e < 4; ++e) {
    if (column + e < head_dim) add_global(row + column + e, four[e]);
  }
}

// A row's largest score, and the sum of its probabilities relative to that, over all groups.
struct RowTotal {
  float largest, sum;

  // How much a group's sums count, whose largest score is `its_largest`.
  SWEEPD_DEVICE float share_of(const Problem& p, float its_largest) const {
    return exp2_of((its_largest - shift()) * p.scale * kLog2E) / sum;
  }
  SWEEPD_DEVICE float shift() const { return largest == -INFINITY ? 0 : largest; }
};

// Each group's largest score and sum are two floats at `at`, `distance` bytes apart.
SWEEPD_DEVICE RowTotal total_of_groups(const Problem& p, Shared at, int distance, int groups) {
  const float scale = p.scale * kLog2E;
  RowTotal total{-INFINITY, 0};
  const auto of_group = [&](int group, int which) {
    return load_shared(at + static_cast<Shared>(group * distance + which * 4));
  };
  SWEEPD_NO_UNROLL
  for (int g = 0; g < groups; ++g) total.largest = fmaxf(total.largest, of_group(g, 0));
  SWEEPD_NO_UNROLL
  for (int g = 0; g < groups; ++g) {
    total.sum += of_group(g, 1) * exp2_of((of_group(g, 0) - total.shift()) * scale);
  }
  return total;
}

SWEEPD_DEVICE void store_lse(const Problem& p, const RowTotal& total, int row) {
  if (row >= p.sequence) return;
  const std::int64_t line = static_cast<std::int64_t>(block_z()) * p.heads + block_y();
  p.lse[line * p.sequence + row] = total.largest * p.scale + logf(total.sum);
}

struct alignas(16) FourFloats {
  float at[4];
};

// Stores the sum of all groups' tiles, `distance` bytes apart, to rows `first` to first + kRows - 1
// of a matrix. All threads of the block call it.
template <int kRows, int kDim>
SWEEPD_DEVICE void sum_groups(const Problem& p, const Matrix& matrix, int first,
                              FloatTile<kDim + 4> tile, int distance, int groups) {
  constexpr int kChunks = kDim / 4;
  const bool vectors = aligned(matrix, p.head_dim);
  for (int i = thread_index(); i < kRows * kChunks; i += block_threads()) {
    const int row = i / kChunks, column = i % kChunks * 4;
    if (first + row >= p.sequence || column >= p.head_dim) continue;
    FourFloats sum = {};
    for (int group = 0; group < groups; ++group) {
      float part[4];
      load_shared(part, tile.at(row, column) + static_cast<Shared>(group * distance));
      SWEEPD_UNROLL
      for (int e = 0; e < 4; ++e) sum.at[e] += part[e];
    }
    float* to = row_of<float>(matrix, block_z(), block_y(), first + row) + column;
    if (vectors) {
      *reinterpret_cast<FourFloats*>(to) = sum;
    } else {
      SWEEPD_UNROLL
      for (int e = 0; e < 4; ++e) {
        if (column + e < p.head_dim) to[e] = sum.at[e];
      }
    }
  }
}

}  // namespace sweepd::gpu
