// FlashAttention-2 backward in fp32: any d up to 128, any GPU since sm_80. See float_tiles.cuh.
//
// A block has 64 rows of k and v (32 for d above 64); each of its groups takes every n-th tile of
// 32 rows of q and d_o, and has its own sums of dk and dv. Scores are transposed, with keys as
// rows. dq is added up over blocks of keys with atomics, so its last bits depend on the order.
// RowSums zeroes it before.
#pragma once

#include "workloads/cuda/flash/float_tiles.cuh"

namespace sweepd::gpu {

// The grid is {blocks_of(S, kKeys), heads, batch}, of 1 to 4 groups.
template <int kDim>
struct FloatBackward {
  static constexpr int kThreads = 256;  // at most
  static constexpr int kRows = 32, kKeys = kDim <= 64 ? 64 : 32;
  static constexpr int kI = kKeys / 8, kJ = kRows / 8;  // scores of a thread
  using Tile = FloatTile<kDim + 4>;
  using Scores = FloatTile<kRows + 8>;
  static constexpr int kRowBytes = kRows * Tile::kRowBytes, kKeyBytes = kKeys * Tile::kRowBytes;
  static constexpr int kScoreBytes = kKeys * Scores::kRowBytes;
  // q, d_o, probabilities, ds. Sums of a group take the place of q and d_o in the end.
  static constexpr int kGroupBytes = 2 * kRowBytes + 2 * kScoreBytes;
  static_assert(2 * kRowBytes >= kKeyBytes);
  static constexpr int shared_bytes(int groups) { return 2 * kKeyBytes + groups * kGroupBytes; }

  float dk[kI][kDim / 8] = {}, dv[kI][kDim / 8] = {};

  SWEEPD_DEVICE void run(const Problem& p) {
    const FloatThread thread = FloatThread::here();
    const int first = block_x() * kKeys;
    // Under a causal mask, rows above the block's first key do not see any of it.
    const int begin = p.causal ? first / kRows : 0, end = blocks_of(p.sequence, kRows);
    const bool vectors = aligned(p.q, p.head_dim) && aligned(p.d_o, p.head_dim);
    const Tile q = tile_at(2 * kKeyBytes + thread.group * kGroupBytes), d_o{q.base + kRowBytes};
    const auto copy = [&](int tile) {
      if (tile >= end) return;
      copy_tile<kRows, kDim>(q, p, p.q, tile * kRows, vectors, thread);
      copy_tile<kRows, kDim>(d_o, p, p.d_o, tile * kRows, vectors, thread);
    };
    copy_rows<kKeys, kDim>(k_tile(), p, p.k, first, aligned(p.k, p.head_dim), thread_index(),
                           block_threads());
    copy_rows<kKeys, kDim>(v_tile(), p, p.v, first, aligned(p.v, p.head_dim), thread_index(),
                           block_threads());
    copy(begin + thread.group);
    wait_for_copies();
    sync_block();

    const Scores probabilities{d_o.base + kRowBytes}, ds{probabilities.base + kScoreBytes};
    SWEEPD_NO_UNROLL
    for (int tile = begin + thread.group; tile < end; tile += thread.groups) {
      wait_for_copies();
      thread.sync();  // q and d_o are complete
      score(p, first, tile * kRows, q, d_o, probabilities, ds, thread);
      thread.sync();  // the scores are complete
      add_product<kRows>(dv, probabilities, d_o, thread);
      add_product<kRows>(dk, ds, q, thread);
      thread.sync();  // q and d_o are free
      copy(tile + thread.groups);
      add_dq(p, tile * kRows, ds, thread);
    }
    store(p, p.dv, dv, 1, first, q, thread);
    sync_block();
    store(p, p.dk, dk, p.scale, first, q, thread);
  }

 private:
  SWEEPD_DEVICE static Tile tile_at(int offset) {
    return {shared_base() + static_cast<Shared>(offset)};
  }
  SWEEPD_DEVICE static Tile k_tile() { return tile_at(0); }
  SWEEPD_DEVICE static Tile v_tile() { return tile_at(kKeyBytes); }

  // Probabilities and their gradients of the block's keys and a tile of rows.
  SWEEPD_DEVICE static void score(const Problem& p, int first, int row, Tile q, Tile d_o,
                                  Scores probabilities, Scores ds, const FloatThread& thread) {
    const std::int64_t line =
        (static_cast<std::int64_t>(block_z()) * p.heads + block_y()) * padded_rows(p.sequence) +
        row + thread.x;
    const float scale = p.scale * kLog2E;
    const int last_key = first + kKeys - 1;
    const bool masked = last_key >= p.sequence || (p.causal && last_key > row);
    float lse[kJ], delta[kJ];
    SWEEPD_UNROLL
    for (int j = 0; j < kJ; ++j) {
      lse[j] = p.lse_log2[line + 8 * j];
      delta[j] = p.delta[line + 8 * j];
    }
    {
      float s[kI][kJ] = {};
      add_dots<kDim>(s, k_tile(), q, thread);
      SWEEPD_UNROLL
      for (int i = 0; i < kI; ++i) {
        SWEEPD_UNROLL
        for (int j = 0; j < kJ; ++j) {
          s[i][j] = exp2_of(fmaf(s[i][j], scale, -lse[j]));  // 0 in rows beyond the end
        }
      }
      if (masked) hide(p, s, first + thread.y, row + thread.x);
      SWEEPD_UNROLL
      for (int i = 0; i < kI; ++i) {
        SWEEPD_UNROLL
        for (int j = 0; j < kJ; ++j) {
          store_shared(probabilities.at(thread.y + 8 * i, thread.x + 8 * j), s[i][j]);
        }
      }
    }
    float dp[kI][kJ] = {};
    add_dots<kDim>(dp, v_tile(), d_o, thread);
    SWEEPD_UNROLL
    for (int i = 0; i < kI; ++i) {
      // Loaded again, because registers are scarce.
      float probability[kJ];
      SWEEPD_UNROLL
      for (int j = 0; j < kJ; ++j) {
        probability[j] = load_shared(probabilities.at(thread.y + 8 * i, thread.x + 8 * j));
      }
      SWEEPD_UNROLL
      for (int j = 0; j < kJ; ++j) {
        store_shared(ds.at(thread.y + 8 * i, thread.x + 8 * j),
                     probability[j] * (dp[i][j] - delta[j]));
      }
    }
  }

  // Zeroes the probabilities of hidden keys; those of keys beyond the end may be infinite.
  SWEEPD_DEVICE static void hide(const Problem& p, float (&s)[kI][kJ], int key, int row) {
    SWEEPD_UNROLL
    for (int i = 0; i < kI; ++i) {
      SWEEPD_UNROLL
      for (int j = 0; j < kJ; ++j) {
        const int its_key = key + 8 * i;
        if (its_key >= p.sequence || (p.causal && its_key > row + 8 * j)) s[i][j] = 0;
      }
    }
  }

  // Adds what the block's keys contribute to rows `row` to row + 31 of dq.
  SWEEPD_DEVICE static void add_dq(const Problem& p, int row, Scores ds,
                                   const FloatThread& thread) {
    float dq[4][kDim / 8] = {};
    add_transposed<kKeys>(dq, ds, k_tile(), thread);
    const bool vectors = aligned(p.dq, p.head_dim);
    SWEEPD_UNROLL
    for (int i = 0; i < 4; ++i) {
      if (row + thread.y * 4 + i >= p.sequence) continue;
      float* to = row_of<float>(p.dq, block_z(), block_y(), row + thread.y * 4 + i);
      SWEEPD_UNROLL
      for (int j = 0; j < kDim / 32; ++j) {
        const int column = thread.x * 4 + 32 * j;
        float four[4];
        SWEEPD_UNROLL
        for (int e = 0; e < 4; ++e) four[e] = dq[i][4 * j + e] * p.scale;
        add_columns(to, column, four, p.head_dim, vectors);
      }
    }
  }

  SWEEPD_DEVICE static void store(const Problem& p, const Matrix& matrix,
                                  const float (&sum)[kI][kDim / 8], float factor, int first,
                                  Tile own, const FloatThread& thread) {
    float factors[kI];
    for (float& value : factors) value = factor;
    put(own, sum, factors, thread);
    sync_block();
    sum_groups<kKeys, kDim>(p, matrix, first, tile_at(2 * kKeyBytes), kGroupBytes, thread.groups);
  }
};

}  // namespace sweepd::gpu
