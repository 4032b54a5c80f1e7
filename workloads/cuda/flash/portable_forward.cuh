// FlashAttention-2 forward on mma.sync: any GPU since sm_80, fp16 and bf16, d up to 128.
//
// A block has 128 rows of q, 16 per warp, kept in registers. It iterates over k and v 64 rows at a
// time; the next 64 are copied while these are computed. Each row has a running maximum m and sum l
// of exp(score - m). When a larger maximum appears, older sums are scaled down.
#pragma once

#include "workloads/cuda/flash/mma.cuh"

namespace sweepd::gpu {

template <Element kType, int kDim>  // kDim: d rounded up to 32
struct PortableForward {
  static constexpr int kRows = 128, kKeys = 64, kThreads = 256;
  using Layout = Tile<kDim>;
  static constexpr int kStageBytes = 2 * kKeys * Layout::kRowBytes;  // of k and v
  // q is moved to registers before the second stage is needed, and is stored there until then.
  static constexpr int kSharedBytes = 2 * kStageBytes;
  static_assert(kRows * Layout::kRowBytes <= kStageBytes);

  float o[kDim / 8][4] = {};  // 16 x d accumulators
  float m[2] = {-INFINITY, -INFINITY};
  float l[2] = {0, 0};  // of this lane's columns only, until the end
  std::uint32_t q[kDim / 16][4];

  // Blocks go from the last rows to the first: under a causal mask the last have the most work, and
  // should not run last.
  SWEEPD_DEVICE static int first_row() { return (grid_x() - 1 - block_x()) * kRows; }

  SWEEPD_DEVICE void run(const Problem& p) {
    const int first = first_row(), head = block_y(), batch = block_z();
    const int warp_row = first + uniform(thread_index() / 32) * 16;
    const int last_key = p.causal ? min_of(first + kRows, p.sequence) : p.sequence;
    const int blocks = blocks_of(last_key, kKeys);

    const Layout q_tile{stage(1)};
    copy_tile<kRows, kDim, kThreads>(q_tile, p.q, batch, head, first, p.sequence, p.head_dim);
    copy_stage(p, 0, batch, head);
    wait_for_copies();
    sync_block();
    SWEEPD_UNROLL
    for (int i = 0; i < kDim / 16; ++i) q_tile.load_a(q[i], warp_row - first, i * 16);
    sync_block();

    SWEEPD_NO_UNROLL
    for (int block = 0; block < blocks; ++block) {
      if (block + 1 < blocks) copy_stage(p, block + 1, batch, head);
      // A warp above the diagonal sees nothing in its block's last keys.
      if (!p.causal || block * kKeys <= warp_row + 15) step(p, block, warp_row);
      wait_for_copies();
      sync_block();
    }
    store(p, warp_row, head, batch);
  }

 private:
  SWEEPD_DEVICE static int min_of(int a, int b) { return a < b ? a : b; }
  SWEEPD_DEVICE static Shared stage(int index) {
    return shared_base() + static_cast<Shared>(index * kStageBytes);
  }
  SWEEPD_DEVICE static Layout k_tile(int block) { return {stage(block % 2)}; }
  SWEEPD_DEVICE static Layout v_tile(int block) {
    return {stage(block % 2) + static_cast<Shared>(kKeys * Layout::kRowBytes)};
  }
  SWEEPD_DEVICE static void copy_stage(const Problem& p, int block, int batch, int head) {
    copy_tile<kKeys, kDim, kThreads>(k_tile(block), p.k, batch, head, block * kKeys, p.sequence,
                                     p.head_dim);
    copy_tile<kKeys, kDim, kThreads>(v_tile(block), p.v, batch, head, block * kKeys, p.sequence,
                                     p.head_dim);
  }

  SWEEPD_DEVICE void step(const Problem& p, int block, int warp_row) {
    float s[kKeys / 8][4] = {};
    const Layout k = k_tile(block), v = v_tile(block);
    SWEEPD_UNROLL
    for (int i = 0; i < kDim / 16; ++i) {
      SWEEPD_UNROLL
      for (int j = 0; j < kKeys / 16; ++j) {
        std::uint32_t b[4];
        k.load_b_of_rows(b, j * 16, i * 16);
        mma<kType>(s[2 * j], q[i], b[0], b[1]);
        mma<kType>(s[2 * j + 1], q[i], b[2], b[3]);
      }
    }
    const int key = block * kKeys;
    if (key + kKeys > p.sequence || (p.causal && key + kKeys - 1 > warp_row)) {
      mask(p, s, key, warp_row);
    }
    SWEEPD_UNROLL
    for (int half = 0; half < 2; ++half) soften(s, half, p.scale * kLog2E);
    SWEEPD_UNROLL
    for (int i = 0; i < kKeys / 16; ++i) {
      const std::uint32_t a[4] = {pack<kType>(s[2 * i][0], s[2 * i][1]),
                                  pack<kType>(s[2 * i][2], s[2 * i][3]),
                                  pack<kType>(s[2 * i + 1][0], s[2 * i + 1][1]),
                                  pack<kType>(s[2 * i + 1][2], s[2 * i + 1][3])};
      SWEEPD_UNROLL
      for (int j = 0; j < kDim / 16; ++j) {
        std::uint32_t b[4];
        v.load_b(b, i * 16, j * 16);
        mma<kType>(o[2 * j], a, b[0], b[1]);
        mma<kType>(o[2 * j + 1], a, b[2], b[3]);
      }
    }
  }

  SWEEPD_DEVICE static void mask(const Problem& p, float (&s)[kKeys / 8][4], int key,
                                 int warp_row) {
    const int lane = thread_index() % 32;
    SWEEPD_UNROLL
    for (int j = 0; j < kKeys / 8; ++j) {
      SWEEPD_UNROLL
      for (int e = 0; e < 4; ++e) {
        const int column = key + j * 8 + lane % 4 * 2 + e % 2;
        const int row = warp_row + lane / 4 + e / 2 * 8;
        if (column >= p.sequence || (p.causal && column > row)) s[j][e] = -INFINITY;
      }
    }
  }

  // Turns scores into probabilities under the new maximum, in the rows of `half`.
  SWEEPD_DEVICE void soften(float (&s)[kKeys / 8][4], int half, float scale) {
    float largest = m[half];
    SWEEPD_UNROLL
    for (int j = 0; j < kKeys / 8; ++j) {
      largest = fmaxf(largest, fmaxf(s[j][2 * half], s[j][2 * half + 1]));
    }
    largest = max_of_quad(largest);
    // In a row that has seen nothing yet, any finite maximum gives zeros instead of inf - inf.
    const float shift = largest == -INFINITY ? 0 : largest * scale;
    const float shrink = exp2_of(m[half] * scale - shift);
    m[half] = largest;
    l[half] *= shrink;
    SWEEPD_UNROLL
    for (int j = 0; j < kKeys / 8; ++j) {
      SWEEPD_UNROLL
      for (int e = 2 * half; e < 2 * half + 2; ++e) {
        s[j][e] = exp2_of(s[j][e] * scale - shift);
        l[half] += s[j][e];
      }
    }
    SWEEPD_UNROLL
    for (int j = 0; j < kDim / 8; ++j) {
      o[j][2 * half] *= shrink;
      o[j][2 * half + 1] *= shrink;
    }
  }

  SWEEPD_DEVICE void store(const Problem& p, int warp_row, int head, int batch) {
    const int lane = thread_index() % 32;
    SWEEPD_UNROLL
    for (int half = 0; half < 2; ++half) {
      const float sum = sum_of_quad(l[half]);
      const int row = warp_row + lane / 4 + half * 8;
      if (row >= p.sequence) continue;
      if (lane % 4 == 0) {
        const std::int64_t line = (static_cast<std::int64_t>(batch) * p.heads + head) * p.sequence;
        p.lse[line + row] = (m[half] * p.scale * kLog2E + log2_of(sum)) * kLn2;
      }
      const float share = 1 / sum;
      auto* to = row_of<std::uint16_t>(p.o, batch, head, row);
      SWEEPD_UNROLL
      for (int j = 0; j < kDim / 8; ++j) {
        const int column = j * 8 + lane % 4 * 2;
        if (column >= p.head_dim) continue;
        *reinterpret_cast<std::uint32_t*>(to + column) =
            pack<kType>(o[j][2 * half] * share, o[j][2 * half + 1] * share);
      }
    }
  }
};

}  // namespace sweepd::gpu
