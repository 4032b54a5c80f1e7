// FlashAttention-2 backward of fp32 tensors by 3xTF32: any d up to 128, any GPU since sm_80. See
// tf32.cuh.
//
// Blocks and groups are those of float_backward.cuh. A warp of a group has 32 keys (16 for d above
// 64). Scores are transposed, with keys as rows, so that they are the left operands of dv and dk as
// they leave the tensor cores. Only dq needs the group's other keys: ds goes through shared memory,
// and each warp computes half of dq's columns. dq is added up over blocks of keys with atomics, so
// its last bits depend on the order. RowSums zeroes it before.
#pragma once

#include "workloads/cuda/flash/tf32.cuh"

namespace sweepd::gpu {

// The grid is {blocks_of(S, kKeys), heads, batch}, of 1 to 4 groups.
template <int kDim>
struct Tf32Backward {
  static constexpr int kThreads = 256;  // at most
  static constexpr int kRows = 32, kKeys = kDim <= 64 ? 64 : 32;
  static constexpr int kTiles = kKeys / 32;  // of 16 keys, of a warp
  using Tile = FloatTile<kDim + 4>;
  using Scores = FloatTile<kKeys + 8>;  // rows x keys
  static constexpr int kRowBytes = kRows * Tile::kRowBytes, kKeyBytes = kKeys * Tile::kRowBytes;
  // q, d_o, ds. Sums of a group take the place of q and d_o in the end.
  static constexpr int kGroupBytes = 2 * kRowBytes + kRows * Scores::kRowBytes;
  static_assert(2 * kRowBytes >= kKeyBytes);
  static constexpr int shared_bytes(int groups) { return 2 * kKeyBytes + groups * kGroupBytes; }

  float dk[kTiles][kDim / 8][4] = {}, dv[kTiles][kDim / 8][4] = {};

  SWEEPD_DEVICE void run(const Problem& p) {
    const FloatThread thread = FloatThread::here();
    const int first = block_x() * kKeys, warp = uniform(thread.index / 32);
    // Under a causal mask, rows above the block's first key do not see any of it.
    const int begin = p.causal ? first / kRows : 0, end = blocks_of(p.sequence, kRows);
    const bool vectors = aligned(p.q, p.head_dim) && aligned(p.d_o, p.head_dim);
    const Tile q = tile_at(2 * kKeyBytes + thread.group * kGroupBytes), d_o{q.base + kRowBytes};
    const Scores ds{d_o.base + kRowBytes};
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

    SWEEPD_NO_UNROLL
    for (int tile = begin + thread.group; tile < end; tile += thread.groups) {
      wait_for_copies();
      thread.sync();  // q and d_o are complete
      add_keys(p, first, warp * 16 * kTiles, tile * kRows, q, d_o, ds);
      thread.sync();  // ds is complete; q and d_o are free
      copy(tile + thread.groups);
      add_dq(p, tile * kRows, warp * (kDim / 2), ds);
    }
    store(p, p.dv, dv, 1, first, warp * 16 * kTiles, q, thread);
    sync_block();
    store(p, p.dk, dk, p.scale, first, warp * 16 * kTiles, q, thread);
  }

 private:
  SWEEPD_DEVICE static Tile tile_at(int offset) {
    return {shared_base() + static_cast<Shared>(offset)};
  }
  SWEEPD_DEVICE static Tile k_tile() { return tile_at(0); }
  SWEEPD_DEVICE static Tile v_tile() { return tile_at(kKeyBytes); }

  // What a tile of rows adds to dv and dk of the warp's keys, from `key` of the block on; ds.
  SWEEPD_DEVICE void add_keys(const Problem& p, int first, int key, int row, Tile q, Tile d_o,
                              Scores ds) {
    const std::int64_t line =
        (static_cast<std::int64_t>(block_z()) * p.heads + block_y()) * padded_rows(p.sequence) +
        row + 2 * lane_column();
    const float scale = p.scale * kLog2E;
    float ones[kTiles][2];
    for (auto& factors : ones) factors[0] = factors[1] = 1;

    float s[kTiles][kRows / 8][4] = {}, dp[kTiles][kRows / 8][4] = {};
    add_split_dots<kDim>(dp, v_tile(), key, d_o);
    add_split_dots<kDim>(s, k_tile(), key, q);
    SWEEPD_UNROLL
    for (int j = 0; j < kRows / 8; ++j) {
      const float lse[2] = {p.lse_log2[line + 8 * j], p.lse_log2[line + 8 * j + 1]};
      SWEEPD_UNROLL
      for (int t = 0; t < kTiles; ++t) {
        SWEEPD_UNROLL
        for (int e = 0; e < 4; ++e) {
          s[t][j][e] = exp2_of(fmaf(s[t][j][e], scale, -lse[e % 2]));  // 0 in rows beyond the end
        }
      }
    }
    hide(p, s, first + key, row);
    const auto place = [&](int t, int j, int e) {
      return ds.at(8 * j + 2 * lane_column() + e % 2, key + 16 * t + lane_row() + e / 2 * 8);
    };
    SWEEPD_UNROLL
    for (int j = 0; j < kRows / 8; ++j) {
      const float delta[2] = {p.delta[line + 8 * j], p.delta[line + 8 * j + 1]};
      SWEEPD_UNROLL
      for (int t = 0; t < kTiles; ++t) {
        SWEEPD_UNROLL
        for (int e = 0; e < 4; ++e) {
          store_shared(place(t, j, e), s[t][j][e] * (dp[t][j][e] - delta[e % 2]));
        }
      }
    }
    Left left[kTiles][kRows / 8];
    split(left, s);
    add_split_product(dv, ones, left, d_o);
    // Loaded again, because registers are scarce.
    SWEEPD_UNROLL
    for (int t = 0; t < kTiles; ++t) {
      SWEEPD_UNROLL
      for (int j = 0; j < kRows / 8; ++j) {
        SWEEPD_UNROLL
        for (int e = 0; e < 4; ++e) s[t][j][e] = load_shared(place(t, j, e));
      }
    }
    split(left, s);
    add_split_product(dk, ones, left, q);
  }

  // Zeroes the probabilities of hidden keys; those of keys beyond the end may be infinite.
  SWEEPD_DEVICE static void hide(const Problem& p, float (&s)[kTiles][kRows / 8][4], int key,
                                 int row) {
    const int last_key = key + 16 * kTiles - 1;
    if (last_key < p.sequence && (!p.causal || last_key <= row)) return;
    SWEEPD_UNROLL
    for (int t = 0; t < kTiles; ++t) {
      SWEEPD_UNROLL
      for (int j = 0; j < kRows / 8; ++j) {
        SWEEPD_UNROLL
        for (int e = 0; e < 4; ++e) {
          const int its_key = key + 16 * t + lane_row() + e / 2 * 8;
          const int its_row = row + 8 * j + 2 * lane_column() + e % 2;
          if (its_key >= p.sequence || (p.causal && its_key > its_row)) s[t][j][e] = 0;
        }
      }
    }
  }

  // Adds what the block's keys contribute to rows `row` to row + 31 of dq, in kDim / 2 columns.
  SWEEPD_DEVICE static void add_dq(const Problem& p, int row, int column, Scores ds) {
    float dq[2][kDim / 16][4] = {};
    SWEEPD_UNROLL_TWICE
    for (int i = 0; i < kKeys / 8; ++i) {
      Left a[2];
      SWEEPD_UNROLL
      for (int t = 0; t < 2; ++t) a[t] = load_left_in_pairs(ds, 16 * t, 8 * i);
      SWEEPD_UNROLL
      for (int j = 0; j < kDim / 16; ++j) {
        add_split(dq, j, a, load_right_in_pairs(k_tile(), 8 * i, column + 8 * j));
      }
    }
    const bool vectors = aligned(p.dq, p.head_dim);
    SWEEPD_UNROLL
    for (int t = 0; t < 2; ++t) {
      SWEEPD_UNROLL
      for (int j = 0; j < kDim / 16; ++j) {
        add_four(p, row + 16 * t, column + 8 * j, vectors, dq[t][j]);
      }
    }
  }

  // Adds an accumulator of dq. Of two adjacent lanes, one gets the four columns of both in row r,
  // the other those in row r+8.
  SWEEPD_DEVICE static void add_four(const Problem& p, int row, int column, bool vectors,
                                     const float (&c)[4]) {
    const bool odd = lane_column() % 2 != 0;
    const float a = shuffle_xor(odd ? c[0] : c[2], 1), b = shuffle_xor(odd ? c[1] : c[3], 1);
    const float four[4] = {(odd ? a : c[0]) * p.scale, (odd ? b : c[1]) * p.scale,
                           (odd ? c[2] : a) * p.scale, (odd ? c[3] : b) * p.scale};
    const int its_row = row + lane_row() + (odd ? 8 : 0);
    const int its_column = column + lane_column() / 2 * 4;
    if (its_row >= p.sequence) return;
    float* to = row_of<float>(p.dq, block_z(), block_y(), its_row);
    add_columns(to, its_column, four, p.head_dim, vectors);
  }

  SWEEPD_DEVICE static void store(const Problem& p, const Matrix& matrix,
                                  const float (&sum)[kTiles][kDim / 8][4], float factor, int first,
                                  int key, Tile own, const FloatThread& thread) {
    float factors[kTiles][2];
    for (auto& both : factors) both[0] = both[1] = factor;
    put_split(own, key, sum, factors);
    sync_block();
    sum_groups<kKeys, kDim>(p, matrix, first, tile_at(2 * kKeyBytes), kGroupBytes, thread.groups);
  }
};

}  // namespace sweepd::gpu
