// The last step of Hopper's backward.
#pragma once

#include "workloads/cuda/flash/hopper_backward.cuh"

namespace sweepd::gpu {

// dq = scale * dq_sum, read in the order of HopperBackward::add_dq: blocks of kRows rows, which
// contain the two warpgroups' 64 x 64, which contain 8 x 128 quadruples {row r: c, c + 1; row r +
// 8: c, c + 1}. Each thread handles a quadruple; the grid is {padded S * kDim / 4 / kThreads,
// heads, batch}.
template <Element kType, int kDim>
struct StoreHopperDq {
  using From = HopperBackward<kType, kDim>;
  static constexpr int kThreads = 256, kSharedBytes = 0;
  static constexpr int blocks(int sequence) { return padded_rows(sequence) * kDim / 4 / kThreads; }

  SWEEPD_DEVICE void run(const Problem& p) {
    const int index = block_x() * kThreads + thread_index(), head = block_y(), batch = block_z();
    const int block = index / (From::kRows * kDim / 4), inside = index % (From::kRows * kDim / 4);
    const int consumer = inside / 1024, column_tile = inside / 128 % 8, thread = inside % 128;
    const int lane = thread % 32;
    int row = block * From::kRows + thread / 32 * 16 + lane / 4;
    int column = column_tile * 8 + lane % 4 * 2;
    (From::kDqByRows ? row : column) += 64 * consumer;
    if (column >= p.head_dim) return;

    const std::int64_t line = static_cast<std::int64_t>(batch) * p.heads + head;
    const float* sum =
        p.dq_sum + line * padded_rows(p.sequence) * kDim + static_cast<std::int64_t>(index) * 4;
    SWEEPD_UNROLL
    for (int half = 0; half < 2; ++half) {
      if (row + 8 * half >= p.sequence) continue;
      *reinterpret_cast<std::uint32_t*>(row_of<std::uint16_t>(p.dq, batch, head, row + 8 * half) +
                                        column) =
          pack<kType>(sum[2 * half] * p.scale, sum[2 * half + 1] * p.scale);
    }
  }
};

}  // namespace sweepd::gpu
