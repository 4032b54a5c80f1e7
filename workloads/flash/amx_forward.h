// forward.h with AMX's products for bf16. They are so much faster than the exponentials that
// everything else must stay in the L1 cache: scores are computed, softened and used 32 rows at a
// time. Scores are stored as [rows][columns] here.
#pragma once

#include "workloads/flash/amx_pack.h"
#include "workloads/flash/forward.h"

namespace sweepd::flash::SWEEPD_FLASH_ISA {

#if defined(__AMX_BF16__)

constexpr int64_t kAmxRows = 256;
constexpr int64_t kAmxColumns = 256;
constexpr int64_t kStrip = 32;
constexpr int64_t kStripStride = kAmxColumns + 16;   // floats
constexpr int64_t kNarrowStride = kAmxColumns + 32;  // bf16

constexpr int64_t depth_of(int64_t width) {
  return (width + kPair - 1) / kPair * kPair;
}

inline int64_t amx_forward_floats(int64_t width) {
  const int64_t depth = depth_of(width), padded = padded_width(width);
  return (kAmxRows + kAmxColumns) * depth / 2 + kAmxRows * padded + depth / 2 * kAmxColumns +
         kAmxColumns / 2 * padded + kStrip * kStripStride + kStrip * kNarrowStride / 2 +
         2 * kAmxRows;
}

struct AmxForwardTiles {
  AmxForwardTiles(float* memory, int64_t width)
      : depth(depth_of(width)), padded(padded_width(width)) {
    Workspace workspace(memory);
    q = reinterpret_cast<uint16_t*>(workspace.take(kAmxRows * depth / 2));
    rows = reinterpret_cast<uint16_t*>(workspace.take(kAmxColumns * depth / 2));
    o = workspace.take(kAmxRows * padded);
    k = reinterpret_cast<uint32_t*>(workspace.take(depth / 2 * kAmxColumns));
    v = reinterpret_cast<uint32_t*>(workspace.take(kAmxColumns / 2 * padded));
    scores = workspace.take(kStrip * kStripStride);
    p = reinterpret_cast<uint16_t*>(workspace.take(kStrip * kNarrowStride / 2));
    largest = workspace.take(kAmxRows);
    sum = workspace.take(kAmxRows);
  }
  int64_t depth, padded;
  uint16_t* q;           // [rows][depth]
  uint16_t* rows;        // [columns][depth]: K, then V, as stored
  float* o;              // [rows][padded]
  uint32_t* k;           // [depth / 2][columns]
  uint32_t* v;           // [columns / 2][padded]
  float* scores;         // [32][columns]
  uint16_t* p;           // [32][columns]
  float *largest, *sum;  // of each row
};

inline float largest_lane(Floats value) {
  return _mm512_reduce_max_ps(reinterpret_cast<__m512>(value));
}
inline float sum_of_lanes(Floats value) {
  return _mm512_reduce_add_ps(reinterpret_cast<__m512>(value));
}

// Converts one row: its `seen` scores become probabilities in bf16, with zeros up to `columns`.
// Returns the factor for older sums.
inline float soften_row(float* scores, uint16_t* p, int64_t seen, int64_t columns, float scale,
                        float& largest, float& sum) {
  const int64_t whole = seen / kLanes * kLanes;
  Floats most_yet = all(kMinusInfinity);
  for (int64_t c = 0; c < whole; c += kLanes) {
    const Floats score = load(scores + c) * scale;
    store(scores + c, score);
    most_yet = larger(score, most_yet);
  }
  if (whole < seen) {
    const Floats score =
        first_lanes(seen - whole) ? load(scores + whole) * scale : all(kMinusInfinity);
    store(scores + whole, score);
    most_yet = larger(score, most_yet);
  }
  const float before = largest;
  const float highest = largest_lane(most_yet);
  if (highest > largest) largest = highest;
  const float base = largest == kMinusInfinity ? 0 : largest;
  Floats sums{};
  for (int64_t c = 0; c < columns; c += 2 * kLanes) {
    const Floats low = c < seen ? exp2(load(scores + c) - base) : Floats{};
    const Floats high = c + kLanes < seen ? exp2(load(scores + c + kLanes) - base) : Floats{};
    sums += low + high;
    _mm512_storeu_si512(p + c, narrow_two(low, high));
  }
  const float decay = largest == before ? 1 : exp2(all(before - base))[0];
  sum = sum * decay + sum_of_lanes(sums);
  return decay;
}

// Multiplies rows [strip, strip + 32) of the tile of Q with a tile of K and V. `shift` is the first
// of these rows minus the first column.
inline void add_strip(const Head& head, const AmxForwardTiles& tiles, int64_t strip, int64_t rows,
                      int64_t columns, int64_t shift, bool first) {
  const int64_t depth = round_up(columns, kPair);
  const Cut scores{head.causal ? Cut::kColumnsAfter : Cut::kNothing, shift};
  const Cut values{head.causal ? Cut::kDepthAfter : Cut::kNothing, shift};
  multiply_tiles(kStrip, depth, tiles.depth, {tiles.q + strip * tiles.depth, tiles.depth},
                 {tiles.k, kAmxColumns}, {tiles.scores, kStripStride}, Sums::kSet, scores);
  float* const o = tiles.o + strip * tiles.padded;
  for (int64_t r = 0; r < kStrip; ++r) {
    const int64_t seen = r >= rows     ? 0
                         : head.causal ? most(0, least(columns, r + shift + 1))
                                       : columns;
    const float decay =
        soften_row(tiles.scores + r * kStripStride, tiles.p + r * kNarrowStride, seen, depth,
                   head.scale * kLog2E, tiles.largest[strip + r], tiles.sum[strip + r]);
    if (first || decay == 1) continue;
    float* const row = o + r * tiles.padded;
    for (int64_t c = 0; c < tiles.padded; c += kLanes) store(row + c, load(row + c) * decay);
  }
  multiply_tiles(kStrip, tiles.padded, depth, {tiles.p, kNarrowStride}, {tiles.v, tiles.padded},
                 {o, tiles.padded}, first ? Sums::kSet : Sums::kAdd, values);
}

inline void amx_forward_rows(const ForwardTask& task, int64_t first_row, int64_t rows,
                             const AmxForwardTiles& tiles) {
  const Head& head = task.head;
  pack_bf16(head.q, first_row, rows, head.width, tiles.q, round_up(rows, kStrip), tiles.depth);
  for (int64_t r = 0; r < kAmxRows; ++r) tiles.largest[r] = kMinusInfinity, tiles.sum[r] = 0;
  const int64_t end = head.causal ? least(head.length, first_row + rows) : head.length;
  for (int64_t column = 0; column < end; column += kAmxColumns) {
    const int64_t columns = least(kAmxColumns, end - column);
    const int64_t padded = round_up(columns, kPair);
    pack_bf16(head.k, column, columns, head.width, tiles.rows, padded, tiles.depth);
    pairs_of_columns(tiles.rows, padded, tiles.depth, tiles.k, kAmxColumns);
    pack_bf16(head.v, column, columns, head.width, tiles.rows, padded, tiles.depth);
    pairs_of_rows(tiles.rows, tiles.depth, padded, tiles.padded, tiles.v, tiles.padded);
    for (int64_t strip = 0; strip < rows; strip += kStrip) {
      const int64_t shift = first_row + strip - column;
      if (head.causal && shift + kStrip <= 0) continue;  // sees none of these columns
      add_strip(head, tiles, strip, rows - strip, columns, shift, column == 0);
    }
  }
  for (int64_t r = 0; r < rows; ++r) {
    unpack_row<Bf16>(tiles.o + r * tiles.padded, 1 / tiles.sum[r], head.width,
                     row_of<Bf16>(task.o, first_row + r));
    task.lse[first_row + r] = tiles.largest[r] * kLn2 + __builtin_logf(tiles.sum[r]);
  }
}

// Returns the rows of a matrix from `first` on.
inline Matrix rows_from(const Matrix& matrix, int64_t first) {
  return {static_cast<const uint16_t*>(matrix.data) + first * matrix.stride, matrix.stride};
}

// Where the mask cuts a tile, values are multiplied by zeros, so they must be finite.
inline bool can_multiply_zeros(const ForwardTask& task) {
  if (!task.head.causal) return true;
  const int64_t first = task.first / kAmxColumns * kAmxColumns;
  const int64_t end = task.first + task.count;
  return is_finite<Bf16>(rows_from(task.head.v, first), end - first, task.head.width);
}

inline void amx_forward(const ForwardTask& task, float* memory) {
  const Tiles configured;
  const AmxForwardTiles tiles(memory, task.head.width);
  const int64_t end = task.first + task.count;
  for (int64_t row = task.first; row < end; row += kAmxRows) {
    amx_forward_rows(task, row, least(kAmxRows, end - row), tiles);
  }
}

#endif

}  // namespace sweepd::flash::SWEEPD_FLASH_ISA
