// What comes before and after the backward kernels, row by row.
#pragma once

#include <type_traits>

#include "workloads/cuda/flash/device.cuh"

namespace sweepd::gpu {

template <Element kType>
using Stored = std::conditional_t<kType == Element::kFp32, float, std::uint16_t>;

template <Element kType>
SWEEPD_DEVICE float load(const Stored<kType>* from) {
  if constexpr (kType == Element::kFp32) {
    return *from;
  } else {
    return widen<kType>(*from);
  }
}

// delta = sum of o d_o over a row, and lse in units of log2. A warp a row; the grid is
// {padded_rows / kWarps, heads, batch}.
template <Element kType>
struct RowSums {
  static constexpr int kWarps = 8, kThreads = 32 * kWarps, kSharedBytes = 0;

  SWEEPD_DEVICE void run(const Problem& p) {
    const int lane = thread_index() % 32;
    const int row = block_x() * kWarps + thread_index() / 32, head = block_y(), batch = block_z();
    const std::int64_t line = static_cast<std::int64_t>(batch) * p.heads + head;
    const bool inside = row < p.sequence;
    float sum = 0;
    if (inside) {
      const auto* o = row_of<const Stored<kType>>(p.o, batch, head, row);
      const auto* d_o = row_of<const Stored<kType>>(p.d_o, batch, head, row);
      for (int i = lane; i < p.head_dim; i += 32) sum += load<kType>(o + i) * load<kType>(d_o + i);
    }
    for (int mask = 16; mask > 0; mask /= 2) sum += shuffle_xor(sum, mask);
    if (lane != 0) return;
    const std::int64_t to = line * padded_rows(p.sequence) + row;
    p.delta[to] = sum;
    p.lse_log2[to] = inside ? p.lse[line * p.sequence + row] * kLog2E : INFINITY;
  }
};

// dq = scale * dq_sum, which lies [B, h, padded S, kDim]. Two columns a thread; the grid is
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
