// FlashAttention-2 backward on mma.sync: any GPU since sm_80, fp16 and bf16, d up to 128.
//
// A block has 128 rows of k and v, 16 per warp, and iterates over q and d_o. It works on transposed
// scores, with keys as rows, so that probabilities and their gradients leave the tensor cores as
// the left operand of the sums for dv and dk. dq is added up over blocks of keys with fp32 atomics,
// so its last bits depend on the order.
//
//   s^T = k q^T    p^T = exp2(s^T scale - lse)    dp^T = v d_o^T    ds^T = p^T (dp^T - delta)
//   dv = p^T d_o   dk = scale ds^T q              dq = scale ds k
#pragma once

#include "workloads/cuda/flash/mma.cuh"

namespace sweepd::gpu {

template <Element kType, int kDim>
struct PortableBackward {
  static constexpr int kKeys = 128, kThreads = 256;
  static constexpr int kRows = kDim > 96 ? 32 : 64;  // of q in a step; registers hold 4 d + 2 kRows
  // How the eight warps divide kRows x kDim of dq: 16 rows and kWidth columns each.
  static constexpr int kRowWarps = kRows / 16;
  static constexpr int kWidth = kDim / (8 / kRowWarps);
  static_assert(kWidth % 16 == 0);

  using Layout = Tile<kDim>;
  using Scores = Tile<kRows>;  // ds^T
  static constexpr int kKeyBytes = kKeys * Layout::kRowBytes;
  static constexpr int kRowBytes = kRows * Layout::kRowBytes;
  static constexpr int kSharedBytes = 2 * kKeyBytes + 4 * kRowBytes + kKeys * Scores::kRowBytes;

  float dk[kDim / 8][4] = {};
  float dv[kDim / 8][4] = {};

  SWEEPD_DEVICE void run(const Problem& p) {
    const int first = block_x() * kKeys, head = block_y(), batch = block_z();
    const int warp_key = uniform(thread_index() / 32) * 16;  // within the block
    // Under a causal mask, rows above the block's first key do not see any of it.
    const int begin = p.causal ? first / kRows : 0;
    const int end = blocks_of(p.sequence, kRows);
    copy_tile<kKeys, kDim, kThreads>(k_tile(), p.k, batch, head, first, p.sequence, p.head_dim);
    copy_tile<kKeys, kDim, kThreads>(v_tile(), p.v, batch, head, first, p.sequence, p.head_dim);
    copy_rows(p, begin, batch, head);
    wait_for_copies();
    sync_block();

    SWEEPD_NO_UNROLL
    for (int block = begin; block < end; ++block) {
      if (block + 1 < end) copy_rows(p, block + 1, batch, head);
      step(p, block, first, warp_key, head, batch);
      sync_block();  // ds is complete
      sum_dq(p, block, head, batch);
      wait_for_copies();
      sync_block();
    }
    store(p, p.dv, dv, first + warp_key, head, batch, 1);
    store(p, p.dk, dk, first + warp_key, head, batch, p.scale);
  }

 private:
  SWEEPD_DEVICE static Layout tile_at(int offset) {
    return {shared_base() + static_cast<Shared>(offset)};
  }
  SWEEPD_DEVICE static Layout k_tile() { return tile_at(0); }
  SWEEPD_DEVICE static Layout v_tile() { return tile_at(kKeyBytes); }
  SWEEPD_DEVICE static Layout q_tile(int block) {
    return tile_at(2 * kKeyBytes + block % 2 * 2 * kRowBytes);
  }
  SWEEPD_DEVICE static Layout do_tile(int block) {
    return tile_at(2 * kKeyBytes + (block % 2 * 2 + 1) * kRowBytes);
  }
  SWEEPD_DEVICE static Scores ds_tile() {
    return {shared_base() + static_cast<Shared>(2 * kKeyBytes + 4 * kRowBytes)};
  }
  SWEEPD_DEVICE static void copy_rows(const Problem& p, int block, int batch, int head) {
    copy_tile<kRows, kDim, kThreads>(q_tile(block), p.q, batch, head, block * kRows, p.sequence,
                                     p.head_dim);
    copy_tile<kRows, kDim, kThreads>(do_tile(block), p.d_o, batch, head, block * kRows, p.sequence,
                                     p.head_dim);
  }
  SWEEPD_DEVICE static std::int64_t line(const Problem& p, int head, int batch) {
    return (static_cast<std::int64_t>(batch) * p.heads + head) * padded_rows(p.sequence);
  }

  // Computes keys x rows: the warp's 16 rows of `left` times all rows of `right`.
  SWEEPD_DEVICE static void multiply(float (&s)[kRows / 8][4], Layout left, int warp_key,
                                     Layout right) {
    SWEEPD_UNROLL
    for (int i = 0; i < kDim / 16; ++i) {
      std::uint32_t a[4];
      left.load_a(a, warp_key, i * 16);
      SWEEPD_UNROLL
      for (int j = 0; j < kRows / 16; ++j) {
        std::uint32_t b[4];
        right.load_b_of_rows(b, j * 16, i * 16);
        mma<kType>(s[2 * j], a, b[0], b[1]);
        mma<kType>(s[2 * j + 1], a, b[2], b[3]);
      }
    }
  }

  // Adds the packed scores times `right` to sum.
  SWEEPD_DEVICE static void accumulate(float (&sum)[kDim / 8][4],
                                       const std::uint32_t (&a)[kRows / 16][4], Layout right) {
    SWEEPD_UNROLL
    for (int i = 0; i < kRows / 16; ++i) {
      SWEEPD_UNROLL
      for (int j = 0; j < kDim / 16; ++j) {
        std::uint32_t b[4];
        right.load_b(b, i * 16, j * 16);
        mma<kType>(sum[2 * j], a[i], b[0], b[1]);
        mma<kType>(sum[2 * j + 1], a[i], b[2], b[3]);
      }
    }
  }

  SWEEPD_DEVICE void step(const Problem& p, int block, int first, int warp_key, int head,
                          int batch) {
    const int lane = thread_index() % 32, row = block * kRows, key = first + warp_key;
    float s[kRows / 8][4] = {}, dp[kRows / 8][4] = {};
    multiply(s, k_tile(), warp_key, q_tile(block));
    multiply(dp, v_tile(), warp_key, do_tile(block));

    const float scale = p.scale * kLog2E;
    const bool masked = key + 15 >= p.sequence || (p.causal && key + 15 > row);
    const float* lse = p.lse_log2 + line(p, head, batch) + row;
    const float* delta = p.delta + line(p, head, batch) + row;
    std::uint32_t probabilities[kRows / 16][4], ds[kRows / 16][4];
    SWEEPD_UNROLL
    for (int j = 0; j < kRows / 8; ++j) {
      float gradient[4];
      SWEEPD_UNROLL
      for (int e = 0; e < 4; ++e) {
        const int column = j * 8 + lane % 4 * 2 + e % 2, mine = key + lane / 4 + e / 2 * 8;
        s[j][e] = exp2_of(s[j][e] * scale - lse[column]);
        // Also zeroes keys beyond the end: their scores are 0, and lse may be far below that.
        if (masked && (mine >= p.sequence || (p.causal && mine > row + column))) s[j][e] = 0;
        gradient[e] = s[j][e] * (dp[j][e] - delta[column]);
      }
      SWEEPD_UNROLL
      for (int half = 0; half < 2; ++half) {
        const int slot = j % 2 * 2 + half;
        probabilities[j / 2][slot] = pack<kType>(s[j][2 * half], s[j][2 * half + 1]);
        ds[j / 2][slot] = pack<kType>(gradient[2 * half], gradient[2 * half + 1]);
        store_shared(ds_tile().at(warp_key + lane / 4 + half * 8, j * 8 + lane % 4 * 2),
                     ds[j / 2][slot]);
      }
    }
    accumulate(dv, probabilities, do_tile(block));
    accumulate(dk, ds, q_tile(block));
  }

  SWEEPD_DEVICE void sum_dq(const Problem& p, int block, int head, int batch) {
    const int lane = thread_index() % 32, warp = uniform(thread_index() / 32);
    const int row = warp % kRowWarps * 16, column = warp / kRowWarps * kWidth;
    float dq[kWidth / 8][4] = {};
    SWEEPD_UNROLL
    for (int i = 0; i < kKeys / 16; ++i) {
      std::uint32_t a[4];
      ds_tile().load_a_transposed(a, row, i * 16);
      SWEEPD_UNROLL
      for (int j = 0; j < kWidth / 16; ++j) {
        std::uint32_t b[4];
        k_tile().load_b(b, i * 16, column + j * 16);
        mma<kType>(dq[2 * j], a, b[0], b[1]);
        mma<kType>(dq[2 * j + 1], a, b[2], b[3]);
      }
    }
    // Rows beyond the end add zeros to rows that exist as padding.
    float* to = p.dq_sum + (line(p, head, batch) + block * kRows + row + lane / 4) * kDim + column +
                lane % 4 * 2;
    SWEEPD_UNROLL
    for (int j = 0; j < kWidth / 8; ++j) {
      SWEEPD_UNROLL
      for (int e = 0; e < 4; ++e) add_global(to + e / 2 * 8 * kDim + j * 8 + e % 2, dq[j][e]);
    }
  }

  SWEEPD_DEVICE static void store(const Problem& p, const Matrix& matrix,
                                  const float (&sum)[kDim / 8][4], int warp_key, int head,
                                  int batch, float scale) {
    const int lane = thread_index() % 32;
    SWEEPD_UNROLL
    for (int half = 0; half < 2; ++half) {
      const int row = warp_key + lane / 4 + half * 8;
      if (row >= p.sequence) continue;
      auto* to = row_of<std::uint16_t>(matrix, batch, head, row);
      SWEEPD_UNROLL
      for (int j = 0; j < kDim / 8; ++j) {
        const int column = j * 8 + lane % 4 * 2;
        if (column >= p.head_dim) continue;
        *reinterpret_cast<std::uint32_t*>(to + column) =
            pack<kType>(sum[j][2 * half] * scale, sum[j][2 * half + 1] * scale);
      }
    }
  }
};

}  // namespace sweepd::gpu
