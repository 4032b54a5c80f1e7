// backward.h with AMX's products for bf16. Gradients of K and V are summed transposed, [width]
// [columns], so that probabilities and their gradients are right sides in pairs of rows as they are
// computed, and need no transposition.
#pragma once

#include "workloads/flash/amx_forward.h"
#include "workloads/flash/backward.h"

namespace sweepd::flash::SWEEPD_FLASH_ISA {

#if defined(__AMX_BF16__)

// A thread's tiles need 0.5 MB at d = 64, which is little compared to the tensors of eight heads of
// 1024 rows.
constexpr int64_t kAmxBackwardRows = 128;
constexpr int64_t kAmxBackwardColumns = 192;
constexpr int64_t kAmxScoreStride = kAmxBackwardColumns + 16;     // floats
constexpr int64_t kAmxGradientStride = kAmxBackwardColumns + 32;  // bf16

inline int64_t amx_backward_floats(int64_t width) {
  const int64_t depth = depth_of(width), padded = padded_width(width);
  return kAmxBackwardColumns * depth + kAmxBackwardColumns / 2 * padded +
         2 * padded * kAmxBackwardColumns + kAmxBackwardRows * depth + kAmxBackwardRows * padded +
         2 * kStrip * kAmxScoreStride + kAmxBackwardRows * kAmxBackwardColumns +
         kAmxBackwardRows * kAmxGradientStride / 2 + kAmxBackwardRows * padded +
         2 * kAmxBackwardRows;
}

struct AmxBackwardTiles {
  AmxBackwardTiles(float* memory, int64_t width)
      : depth(depth_of(width)), padded(padded_width(width)) {
    Workspace workspace(memory);
    const auto halves = [&](int64_t count) {
      return reinterpret_cast<uint16_t*>(workspace.take(count / 2));
    };
    const auto pairs = [&](int64_t count) {
      return reinterpret_cast<uint32_t*>(workspace.take(count));
    };
    kt = pairs(depth / 2 * kAmxBackwardColumns);
    vt = pairs(depth / 2 * kAmxBackwardColumns);
    k = pairs(kAmxBackwardColumns / 2 * padded);
    dk = workspace.take(padded * kAmxBackwardColumns);
    dv = workspace.take(padded * kAmxBackwardColumns);
    q = halves(kAmxBackwardRows * depth);
    d_o = halves(kAmxBackwardRows * depth);
    qt = halves(padded * kAmxBackwardRows);
    d_ot = halves(padded * kAmxBackwardRows);
    scores = workspace.take(kStrip * kAmxScoreStride);
    gradients = workspace.take(kStrip * kAmxScoreStride);
    p = pairs(kAmxBackwardRows / 2 * kAmxBackwardColumns);
    ds = pairs(kAmxBackwardRows / 2 * kAmxBackwardColumns);
    ds_rows = halves(kAmxBackwardRows * kAmxGradientStride);
    dq = workspace.take(kAmxBackwardRows * padded);
    // Used before the first or after the last product of scores. They share that product's memory,
    // which is large enough for every width up to kMaxWidth.
    column_rows = reinterpret_cast<uint16_t*>(p);
    mixed = p;
    turned = reinterpret_cast<float*>(p);
    lse = workspace.take(kAmxBackwardRows);
    delta = workspace.take(kAmxBackwardRows);
  }
  int64_t depth, padded;
  uint16_t* column_rows;      // [columns][depth]: K, then V, as stored
  uint32_t *kt, *vt;          // [depth / 2][columns]
  uint32_t* k;                // [columns / 2][padded]
  float *dk, *dv;             // [padded][columns]
  uint16_t *q, *d_o;          // [rows][depth]
  uint32_t* mixed;            // [rows / 2][padded]: an intermediate of
  uint16_t *qt, *d_ot;        // [padded][rows]
  float *scores, *gradients;  // [32][columns]: scores and dP
  uint32_t *p, *ds;           // [rows / 2][columns]
  uint16_t* ds_rows;          // [rows][columns]
  float* dq;                  // [rows][padded]
  float* turned;              // [columns][width]: dK and dV before they are stored
  float *lse, *delta;         // [rows], lse in units of log 2
};

// Converts two rows of scores and of dP to P and dS, in the layouts that the products need, with
// zeros beyond what each row sees, up to `columns`.
struct RowPair {
  const float *scores, *gradients;  // of the first row; the second is one stride further
  const float *lse, *delta;         // of both
  int64_t seen[2];
  uint32_t *p, *ds;
  uint16_t* ds_rows;
};

inline void differentiate_pair(const RowPair& pair, int64_t columns, float scale) {
  for (int64_t c = 0; c < columns; c += kLanes) {
    Floats p[2], ds[2];
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) {
      const float* const scores = pair.scores + i * kAmxScoreStride;
      const float* const gradients = pair.gradients + i * kAmxScoreStride;
      p[i] = exp2(load(scores + c) * scale - pair.lse[i]);
      ds[i] = p[i] * (load(gradients + c) - pair.delta[i]);
      if (c + kLanes > pair.seen[i]) {
        const Ints seen = first_lanes(pair.seen[i] - c);
        p[i] = seen ? p[i] : Floats{};
        ds[i] = seen ? ds[i] : Floats{};
      }
    }
    const __m512i rows = narrow_two(ds[0], ds[1]);
    _mm512_storeu_si512(pair.p + c, mix_pairs(narrow_two(p[0], p[1])));
    _mm512_storeu_si512(pair.ds + c, mix_pairs(rows));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(pair.ds_rows + c), _mm512_castsi512_si256(rows));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(pair.ds_rows + kAmxGradientStride + c),
                        _mm512_extracti64x4_epi64(rows, 1));
  }
}

inline void pack_amx_rows(const BackwardTask& task, int64_t first, int64_t rows,
                          const AmxBackwardTiles& tiles) {
  const Head& head = task.head;
  const int64_t padded_rows = round_up(rows, kStrip);
  pack_bf16(head.q, first, rows, head.width, tiles.q, padded_rows, tiles.depth);
  pack_bf16(task.d_o, first, rows, head.width, tiles.d_o, padded_rows, tiles.depth);
  transposed_bf16(tiles.q, tiles.depth, padded_rows, tiles.padded, tiles.mixed, tiles.qt);
  transposed_bf16(tiles.d_o, tiles.depth, padded_rows, tiles.padded, tiles.mixed, tiles.d_ot);
  for (int64_t r = 0; r < padded_rows; ++r) {
    tiles.lse[r] = r < rows ? task.lse[first + r] * kLog2E : 0;
    tiles.delta[r] = 0;
    if (r >= rows) continue;
    const uint16_t* const o = row_of<Bf16>(task.o, first + r);
    const uint16_t* const d_o = tiles.d_o + r * tiles.depth;
    Floats sums{};
    int64_t c = 0;
    for (; c + kLanes <= head.width; c += kLanes) {
      sums += Bf16::load_floats(o + c) * Bf16::load_floats(d_o + c);
    }
    for (; c < head.width; ++c) sums[0] += Bf16::widen(o[c]) * Bf16::widen(d_o[c]);
    tiles.delta[r] = sum_of_lanes(sums);
  }
}

// Computes scores, dP, P and dS of all rows of the tile. `shift` is its first row minus its first
// column.
inline void differentiate_strips(const Head& head, const AmxBackwardTiles& tiles, int64_t rows,
                                 int64_t columns, int64_t shift) {
  const int64_t padded = round_up(columns, kPair);
  for (int64_t strip = 0; strip < rows; strip += kStrip) {
    const Cut cut{head.causal ? Cut::kColumnsAfter : Cut::kNothing, shift + strip};
    multiply_tiles(kStrip, padded, tiles.depth, {tiles.q + strip * tiles.depth, tiles.depth},
                   {tiles.kt, kAmxBackwardColumns}, {tiles.scores, kAmxScoreStride}, Sums::kSet,
                   cut);
    multiply_tiles(kStrip, padded, tiles.depth, {tiles.d_o + strip * tiles.depth, tiles.depth},
                   {tiles.vt, kAmxBackwardColumns}, {tiles.gradients, kAmxScoreStride}, Sums::kSet,
                   cut);
    for (int64_t r = 0; r < kStrip; r += 2) {
      const int64_t row = strip + r;
      const auto seen = [&](int64_t of) {
        if (of >= rows) return int64_t{0};
        return head.causal ? most(0, least(columns, of + shift + 1)) : columns;
      };
      differentiate_pair({tiles.scores + r * kAmxScoreStride,
                          tiles.gradients + r * kAmxScoreStride,
                          tiles.lse + row,
                          tiles.delta + row,
                          {seen(row), seen(row + 1)},
                          tiles.p + row / 2 * kAmxBackwardColumns,
                          tiles.ds + row / 2 * kAmxBackwardColumns,
                          tiles.ds_rows + row * kAmxGradientStride},
                         padded, head.scale * kLog2E);
    }
  }
}

inline void add_amx_gradients(const Head& head, const AmxBackwardTiles& tiles, int64_t rows,
                              int64_t columns, int64_t shift, float* dq_sum) {
  differentiate_strips(head, tiles, rows, columns, shift);
  const int64_t padded_rows = round_up(rows, kStrip), padded = round_up(columns, kPair);
  const Cut before{head.causal ? Cut::kDepthBefore : Cut::kNothing, shift};
  const Cut after{head.causal ? Cut::kDepthAfter : Cut::kNothing, shift};
  multiply_tiles(tiles.padded, padded, padded_rows, {tiles.d_ot, padded_rows},
                 {tiles.p, kAmxBackwardColumns}, {tiles.dv, kAmxBackwardColumns}, Sums::kAdd,
                 before);
  multiply_tiles(tiles.padded, padded, padded_rows, {tiles.qt, padded_rows},
                 {tiles.ds, kAmxBackwardColumns}, {tiles.dk, kAmxBackwardColumns}, Sums::kAdd,
                 before);
  multiply_tiles(padded_rows, tiles.padded, padded, {tiles.ds_rows, kAmxGradientStride},
                 {tiles.k, tiles.padded}, {tiles.dq, tiles.padded}, Sums::kSet, after);
  for (int64_t i = 0; i < rows * tiles.padded; i += kLanes) {
    store(dq_sum + i, load(dq_sum + i) + load(tiles.dq + i));
  }
}

inline void unpack_turned(const float* sums, const AmxBackwardTiles& tiles, int64_t first,
                          int64_t columns, int64_t width, float factor, const MutableMatrix& to) {
  const int64_t stride = tile_stride(width);
  transpose_bits(sums, kAmxBackwardColumns, tiles.padded, round_up(columns, kPair), tiles.turned,
                 stride);
  for (int64_t c = 0; c < columns; ++c) {
    unpack_row<Bf16>(tiles.turned + c * stride, factor, width, row_of<Bf16>(to, first + c));
  }
}

inline void amx_backward_columns(const BackwardTask& task, int64_t first, int64_t columns,
                                 const AmxBackwardTiles& tiles) {
  const Head& head = task.head;
  const int64_t padded = round_up(columns, kPair);
  pack_bf16(head.k, first, columns, head.width, tiles.column_rows, padded, tiles.depth);
  pairs_of_columns(tiles.column_rows, padded, tiles.depth, tiles.kt, kAmxBackwardColumns);
  pairs_of_rows(tiles.column_rows, tiles.depth, padded, tiles.padded, tiles.k, tiles.padded);
  pack_bf16(head.v, first, columns, head.width, tiles.column_rows, padded, tiles.depth);
  pairs_of_columns(tiles.column_rows, padded, tiles.depth, tiles.vt, kAmxBackwardColumns);
  const auto bytes = static_cast<size_t>(tiles.padded * kAmxBackwardColumns) * sizeof(float);
  memset(tiles.dk, 0, bytes);
  memset(tiles.dv, 0, bytes);
  for (int64_t row = head.causal ? first : 0; row < head.length; row += kAmxBackwardRows) {
    const int64_t rows = least(kAmxBackwardRows, head.length - row);
    pack_amx_rows(task, row, rows, tiles);
    add_amx_gradients(head, tiles, rows, columns, row - first, task.dq_sum + row * tiles.padded);
  }
  unpack_turned(tiles.dk, tiles, first, columns, head.width, head.scale, task.dk);
  unpack_turned(tiles.dv, tiles, first, columns, head.width, 1, task.dv);
}

// As in the forward: where the mask cuts a tile, these rows of K, Q and dO are multiplied by zeros.
inline bool can_multiply_zeros(const BackwardTask& task) {
  const Head& head = task.head;
  if (!head.causal) return true;
  const int64_t end = least(head.length, task.first + task.count + kAmxBackwardRows);
  const int64_t rows = end - task.first;
  return is_finite<Bf16>(rows_from(head.k, task.first), rows, head.width) &&
         is_finite<Bf16>(rows_from(head.q, task.first), rows, head.width) &&
         is_finite<Bf16>(rows_from(task.d_o, task.first), rows, head.width);
}

inline void amx_backward(const BackwardTask& task, float* memory) {
  const Tiles configured;
  const AmxBackwardTiles tiles(memory, task.head.width);
  const int64_t end = task.first + task.count;
  for (int64_t column = task.first; column < end; column += kAmxBackwardColumns) {
    amx_backward_columns(task, column, least(kAmxBackwardColumns, end - column), tiles);
  }
}

#endif

}  // namespace sweepd::flash::SWEEPD_FLASH_ISA
