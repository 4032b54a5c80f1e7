// FlashAttention-2 forward of fp32 tensors by 3xTF32: any d up to 128, any GPU since sm_80. See
// tf32.cuh.
//
// Blocks and groups are those of float_forward.cuh. A warp of a group has 32 rows of q; its scores
// stay in registers.
#pragma once

#include "workloads/cuda/flash/tf32.cuh"

namespace sweepd::gpu {

// The grid is {blocks_of(S, kRows), heads, batch}, of 1 to 4 groups.
template <int kDim>
struct Tf32Forward {
  static constexpr int kThreads = 256;  // at most
  static constexpr int kRows = 64, kKeys = 32;
  using Tile = FloatTile<kDim + 4>;
  using Totals = FloatTile<2>;
  static constexpr int kRowBytes = kRows * Tile::kRowBytes, kKeyBytes = kKeys * Tile::kRowBytes;
  // k, v, the rows' totals. The sums of a group take the place of k and v in the end.
  static constexpr int kGroupBytes = 2 * kKeyBytes + kRows * Totals::kRowBytes;
  static_assert(2 * kKeyBytes >= kRowBytes);
  static constexpr int shared_bytes(int groups) { return kRowBytes + groups * kGroupBytes; }

  float o[2][kDim / 8][4] = {};
  float largest[2][2], sum[2][2] = {};  // of this lane's rows; `sum` only over its columns

  SWEEPD_DEVICE void run(const Problem& p) {
    const FloatThread thread = FloatThread::here();
    // Under a causal mask, the blocks with most work start first.
    const int block = p.causal ? blocks_of(p.sequence, kRows) - 1 - block_x() : block_x();
    const int first = block * kRows, row = uniform(thread.index / 32) * 32;
    const int keys = p.causal && first + kRows < p.sequence ? first + kRows : p.sequence;
    const int end = blocks_of(keys, kKeys);
    for (auto& tile : largest) tile[0] = tile[1] = -INFINITY;

    const bool vectors = aligned(p.k, p.head_dim) && aligned(p.v, p.head_dim);
    const auto copy = [&](Tile to, const Matrix& matrix, int tile) {
      if (tile < end) copy_tile<kKeys, kDim>(to, p, matrix, tile * kKeys, vectors, thread);
      commit_copies();
    };
    const Tile k = tile_at(kRowBytes + thread.group * kGroupBytes), v{k.base + kKeyBytes};
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
      float s[2][kKeys / 8][4] = {}, shrink[2][2];
      add_split_dots<kDim>(s, tile_at(0), row, k);
      hide(p, s, first + row, tile * kKeys);
      soften(p, s, shrink);
      Left probabilities[2][kKeys / 8];
      split(probabilities, s);
      wait_for_copies();
      thread.sync();  // v is complete, and k is free
      copy(k, p.k, tile + thread.groups);
      add_split_product(o, shrink, probabilities, v);
      thread.sync();  // v is free
      copy(v, p.v, tile + thread.groups);
    }
    wait_for_copies();
    store(p, first, row, thread, k, Totals{v.base + kKeyBytes});
  }

 private:
  SWEEPD_DEVICE static Tile tile_at(int offset) {
    return {shared_base() + static_cast<Shared>(offset)};
  }

  // Sets the scores of hidden keys to minus infinity, for 32 rows from `row` on.
  SWEEPD_DEVICE static void hide(const Problem& p, float (&s)[2][kKeys / 8][4], int row,
                                 int first_key) {
    const int last_key = first_key + kKeys - 1;
    if (last_key < p.sequence && (!p.causal || last_key <= row)) return;
    SWEEPD_UNROLL
    for (int t = 0; t < 2; ++t) {
      SWEEPD_UNROLL
      for (int j = 0; j < kKeys / 8; ++j) {
        SWEEPD_UNROLL
        for (int e = 0; e < 4; ++e) {
          const int key = first_key + 8 * j + 2 * lane_column() + e % 2;
          const int its_row = row + 16 * t + lane_row() + e / 2 * 8;
          if (key >= p.sequence || (p.causal && key > its_row)) s[t][j][e] = -INFINITY;
        }
      }
    }
  }

  // Turns scores into probabilities relative to the rows' maxima so far. Sums so far count
  // `shrink` times as much.
  SWEEPD_DEVICE void soften(const Problem& p, float (&s)[2][kKeys / 8][4], float (&shrink)[2][2]) {
    const float scale = p.scale * kLog2E;
    SWEEPD_UNROLL
    for (int t = 0; t < 2; ++t) {
      SWEEPD_UNROLL
      for (int half = 0; half < 2; ++half) {
        float& sum_here = sum[t][half];
        float most = largest[t][half];
        SWEEPD_UNROLL
        for (int j = 0; j < kKeys / 8; ++j) {
          most = fmaxf(most, fmaxf(s[t][j][2 * half], s[t][j][2 * half + 1]));
        }
        most = max_of_quad(most);
        const float shift = most == -INFINITY ? 0 : most;
        shrink[t][half] = exp2_of((largest[t][half] - shift) * scale);
        largest[t][half] = most;
        sum_here *= shrink[t][half];
        SWEEPD_UNROLL
        for (int j = 0; j < kKeys / 8; ++j) {
          SWEEPD_UNROLL
          for (int e = 2 * half; e < 2 * half + 2; ++e) {
            s[t][j][e] = exp2_of((s[t][j][e] - shift) * scale);
            sum_here += s[t][j][e];
          }
        }
      }
    }
  }

  // Adds up the groups' sums, after each has scaled its own by the rows' common maxima.
  SWEEPD_DEVICE void store(const Problem& p, int first, int row, const FloatThread& thread,
                           Tile own, Totals totals) {
    const auto at_row = [&](int t, int half) { return row + 16 * t + lane_row() + 8 * half; };
    SWEEPD_UNROLL
    for (int t = 0; t < 2; ++t) {
      SWEEPD_UNROLL
      for (int half = 0; half < 2; ++half) {
        const float over_columns = sum_of_quad(sum[t][half]);
        if (lane_column() != 0) continue;
        store_shared(totals.at(at_row(t, half), 0), largest[t][half]);
        store_shared(totals.at(at_row(t, half), 1), over_columns);
      }
    }
    sync_block();
    const Totals of_first{tile_at(kRowBytes + 2 * kKeyBytes).base};
    float share[2][2];
    SWEEPD_UNROLL
    for (int t = 0; t < 2; ++t) {
      SWEEPD_UNROLL
      for (int half = 0; half < 2; ++half) {
        const int its_row = at_row(t, half);
        const RowTotal total =
            total_of_groups(p, of_first.at(its_row, 0), kGroupBytes, thread.groups);
        share[t][half] = total.share_of(p, largest[t][half]);
        if (thread.group == 0 && lane_column() == 0) store_lse(p, total, first + its_row);
      }
    }
    put_split(own, row, o, share);
    sync_block();
    sum_groups<kRows, kDim>(p, p.o, first, tile_at(kRowBytes), kGroupBytes, thread.groups);
  }
};

}  // namespace sweepd::gpu
