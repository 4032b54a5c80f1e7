// Rounding sums of wgmma and storing them to global memory.
#pragma once

#include "workloads/cuda/flash/device.cuh"

namespace sweepd::gpu {

// Stores scale times a warpgroup's 64 x kDim sums as rows `first` and following of the block's
// head. Rows beyond the sequence and columns beyond the head dimension are not stored.
template <Element kType, int kDim>
SWEEPD_DEVICE void store_sums(const Problem& p, const Matrix& matrix, const float (&sum)[kDim / 2],
                              int first, float scale) {
  const int lane = thread_index() % 32;
  SWEEPD_UNROLL
  for (int half = 0; half < 2; ++half) {
    const int row = first + thread_index() / 32 % 4 * 16 + lane / 4 + half * 8;
    if (row >= p.sequence) continue;
    auto* to = row_of<std::uint16_t>(matrix, block_z(), block_y(), row);
    SWEEPD_UNROLL
    for (int j = 0; j < kDim / 8; ++j) {
      if (j * 8 >= p.head_dim) break;
      *reinterpret_cast<std::uint32_t*>(to + j * 8 + lane % 4 * 2) =
          pack<kType>(sum[4 * j + 2 * half] * scale, sum[4 * j + 2 * half + 1] * scale);
    }
  }
}

}  // namespace sweepd::gpu
