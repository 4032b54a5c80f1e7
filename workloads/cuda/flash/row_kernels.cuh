// The kernels that run before and after the backward kernels, row by row.
#pragma once

#include <type_traits>

#include "workloads/cuda/flash/device.cuh"

namespace sweepd::gpu {

template <Element kType>
using Stored = std::conditional_t<kType == Element::kFp32, float, std::uint16_t>;

template <Element kType>
SWEEPD_DEVICE float value_of(Stored<kType> stored) {
  if constexpr (kType == Element::kFp32) {
    return stored;
  } else {
    return widen<kType>(stored);
  }
}

// delta = sum of o d_o over a row, and lse in units of log2. In fp32 also zeroes dq. Sixteen lanes
// per row, eight columns per lane; the grid is {padded_rows / kRows, heads, batch}.
template <Element kType>
struct RowSums {
  static constexpr int kThreads = 256, kRows = kThreads / 16, kSharedBytes = 0;
  // Eight columns of 16-bit types are loaded at once; fp32 need not be aligned.
  struct alignas(kType == Element::kFp32 ? 4 : 16) Eight {
    Stored<kType> at[8];
  };

  SWEEPD_DEVICE void run(const Problem& p) {
    const int row = block_x() * kRows + thread_index() / 16, head = block_y(), batch = block_z();
    const int column = thread_index() % 16 * 8;
    float sum = 0;
    if (row < p.sequence && column < p.head_dim) {
      const auto* o = row_of<const Stored<kType>>(p.o, batch, head, row) + column;
      const auto* d_o = row_of<const Stored<kType>>(p.d_o, batch, head, row) + column;
      sum = product_of(o, d_o, p.head_dim - column);
      if constexpr (kType == Element::kFp32) {
        float* dq = row_of<float>(p.dq, batch, head, row);
        for (int c = column; c < column + 8 && c < p.head_dim; ++c) dq[c] = 0;
      }
    }
    for (int mask = 8; mask > 0; mask /= 2) sum += shuffle_xor(sum, mask);
    if (column != 0) return;
    const std::int64_t line = static_cast<std::int64_t>(batch) * p.heads + head;
    const std::int64_t to = line * padded_rows(p.sequence) + row;
    p.delta[to] = sum;
    p.lse_log2[to] = row < p.sequence ? p.lse[line * p.sequence + row] * kLog2E : INFINITY;
  }

 private:
  SWEEPD_DEVICE static float product_of(const Stored<kType>* a, const Stored<kType>* b, int left) {
    float sum = 0;
    if (left >= 8) {
      const Eight x = *reinterpret_cast<const Eight*>(a), y = *reinterpret_cast<const Eight*>(b);
      SWEEPD_UNROLL
      for (int i = 0; i < 8; ++i) sum += value_of<kType>(x.at[i]) * value_of<kType>(y.at[i]);
    } else {
      for (int i = 0; i < left; ++i) sum += value_of<kType>(a[i]) * value_of<kType>(b[i]);
    }
    return sum;
  }
};

// dq = scale * dq_sum, which is [B, h, padded S, kDim]. Two columns per thread; the grid is
// {blocks_of(S * kDim / 2, kThreads), heads, batch}.
template <Element kType, int kDim>
struct StoreDq {
  static constexpr int kThreads = 256, kSharedBytes = 0;

  SWEEPD_DEVICE void run(const Problem& p) {
    const int index = block_x() * kThreads + thread_index(), head = block_y(), batch = block_z();
    const int row = index / (kDim / 2), column = index % (kDim / 2) * 2;
    if (row >= p.sequence || column >= p.head_dim) return;
    const std::int64_t line = static_cast<std::int64_t>(batch) * p.heads + head;
    const float* sum = p.dq_sum + (line * padded_rows(p.sequence) + row) * kDim + column;
    *reinterpret_cast<std::uint32_t*>(row_of<std::uint16_t>(p.dq, batch, head, row) + column) =
        pack<kType>(sum[0] * p.scale, sum[1] * p.scale);
  }
};

}  // namespace sweepd::gpu
