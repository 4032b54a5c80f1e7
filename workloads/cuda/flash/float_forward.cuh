// FlashAttention-2 forward in fp32: any d up to 128, any GPU since sm_80. See float_tiles.cuh.
//
// A block has 64 rows of q; each of its groups takes every n-th tile of keys, and has its own sums
// and row maxima. Tiles of k and v have one buffer each: k is copied while a group computes with v,
// and v while it computes with k.
#pragma once

#include "workloads/cuda/flash/float_tiles.cuh"

namespace sweepd::gpu {

// The grid is {blocks_of(S, kRows), heads, batch}, of 1 to 4 groups.
template <int kDim>
struct FloatForward {
  static constexpr int kThreads = 256;  // at most
  static constexpr int kRows = 64, kKeys = kDim <= 64 ? 64 : 32;
  using Tile = FloatTile<kDim + 4>;
  using Scores = FloatTile<kKeys + 8>;
  static constexpr int kRowBytes = kRows * Tile::kRowBytes, kKeyBytes = kKeys * Tile::kRowBytes;
  // k, v, scores. The sums of a group take the place of k and v in the end.
  static constexpr int kGroupBytes = 2 * kKeyBytes + kRows * Scores::kRowBytes;
  static_assert(2 * kKeyBytes >= kRowBytes);
  static constexpr int shared_bytes(int groups) { return kRowBytes + groups * kGroupBytes; }

  float o[8][kDim / 8] = {};
  float largest[8], sum[8] = {};  // of this thread's rows; `sum` only over its columns

  SWEEPD_DEVICE void run(const Problem& p) {
    const FloatThread thread = FloatThread::here();
    // Under a causal mask, the blocks with most work start first.
    const int block = p.causal ? blocks_of(p.sequence, kRows) - 1 - block_x() : block_x();
    const int first = block * kRows;
    const int keys = p.causal && first + kRows < p.sequence ? first + kRows : p.sequence;
    const int end = blocks_of(keys, kKeys);
    for (float& value : largest) value = -INFINITY;

    const bool vectors = aligned(p.k, p.head_dim) && aligned(p.v, p.head_dim);
    const auto copy = [&](Tile to, const Matrix& matrix, int tile) {
      if (tile < end) copy_tile<kKeys, kDim>(to, p, matrix, tile * kKeys, vectors, thread);
      commit_copies();
    };
    const Tile k = tile_at(kRowBytes + thread.group * kGroupBytes), v{k.base + kKeyBytes};
    const Scores scores{v.base + kKeyBytes};
    copy_rows<kRows, kDim>(tile_at(0), p, p.q, first, aligned(p.q, p.head_dim), thread_index(),
                           block_threads());
    copy(k, p.k, thread.group);
    copy(v, p.v, thread.group);
    wait_for_earlier_copies();
    sync_block();

    SWEEPD_NO_UNROLL
    for (int tile = thread.group; tile < end; tile += thread.groups) {
      wait_for_earlier_copies();
      thread.sync();  // k is complete
      float s[8][kKeys / 8] = {};
      add_dots<kDim>(s, tile_at(0), k, thread);
      hide(p, s, first, tile * kKeys, thread);
      soften(p, s, scores, thread);
      wait_for_copies();
      thread.sync();  // v and the scores are complete, and k is free
      copy(k, p.k, tile + thread.groups);
      add_product<kKeys>(o, scores, v, thread);
      thread.sync();  // v is free
      copy(v, p.v, tile + thread.groups);
    }
    wait_for_copies();
    store(p, first, thread, k, scores);
  }

 private:
  SWEEPD_DEVICE static Tile tile_at(int offset) {
    return {shared_base() + static_cast<Shared>(offset)};
  }

  // Sets the scores of hidden keys to minus infinity.
  SWEEPD_DEVICE static void hide(const Problem& p, float (&s)[8][kKeys / 8], int first,
                                 int first_key, const FloatThread& thread) {
    const int last_key = first_key + kKeys - 1;
    if (last_key < p.sequence && (!p.causal || last_key <= first)) return;
    SWEEPD_UNROLL
    for (int i = 0; i < 8; ++i) {
      const int row = first + thread.y + 8 * i;
      SWEEPD_UNROLL
      for (int j = 0; j < kKeys / 8; ++j) {
        const int key = first_key + thread.x + 8 * j;
        if (key >= p.sequence || (p.causal && key > row)) s[i][j] = -INFINITY;
      }
    }
  }

  // Turns scores into probabilities relative to the rows' maxima so far, and writes them to `to`.
  SWEEPD_DEVICE void soften(const Problem& p, const float (&s)[8][kKeys / 8], Scores to,
                            const FloatThread& thread) {
    const float scale = p.scale * kLog2E;
    SWEEPD_UNROLL
    for (int i = 0; i < 8; ++i) {
      float most = largest[i];
      SWEEPD_UNROLL
      for (int j = 0; j < kKeys / 8; ++j) most = fmaxf(most, s[i][j]);
      SWEEPD_UNROLL
      for (int mask = 1; mask < 8; mask *= 2) most = fmaxf(most, shuffle_xor(most, mask));
      const float shift = most == -INFINITY ? 0 : most;
      const float shrink = exp2_of((largest[i] - shift) * scale);
      largest[i] = most;
      sum[i] *= shrink;
      SWEEPD_UNROLL
      for (int j = 0; j < kKeys / 8; ++j) {
        const float probability = exp2_of((s[i][j] - shift) * scale);
        sum[i] += probability;
        store_shared(to.at(thread.y + 8 * i, thread.x + 8 * j), probability);
      }
      SWEEPD_UNROLL
      for (float& value : o[i]) value *= shrink;
    }
  }

  // Adds up the groups' sums, after each has scaled its own by the rows' common maxima.
  SWEEPD_DEVICE void store(const Problem& p, int first, const FloatThread& thread, Tile own,
                           Scores scores) {
    SWEEPD_UNROLL
    for (int i = 0; i < 8; ++i) {
      for (int mask = 1; mask < 8; mask *= 2) sum[i] += shuffle_xor(sum[i], mask);
      if (thread.x == 0) {
        store_shared(scores.at(thread.y + 8 * i, 0), largest[i]);
        store_shared(scores.at(thread.y + 8 * i, 1), sum[i]);
      }
    }
    sync_block();
    const Scores of_first{tile_at(kRowBytes + 2 * kKeyBytes).base};
    float share[8];
    SWEEPD_UNROLL
    for (int i = 0; i < 8; ++i) {
      const int row = thread.y + 8 * i;
      const RowTotal total = total_of_groups(p, of_first.at(row, 0), kGroupBytes, thread.groups);
      share[i] = total.share_of(p, largest[i]);
      if (thread.group == 0 && thread.x == 0) store_lse(p, total, first + row);
    }
    put(own, o, share, thread);
    sync_block();
    sum_groups<kRows, kDim>(p, p.o, first, tile_at(kRowBytes), kGroupBytes, thread.groups);
  }
};

}  // namespace sweepd::gpu
