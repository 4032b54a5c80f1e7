// The forward of FlashAttention-2 (Dao, 2023, algorithm 1) for some rows of Q: O and the
// log-sum-exp, over tiles of K and V, with a running maximum and sum.
//
// Scores are kept transposed, [columns][rows]: vectors contain rows of Q, so that maximum, sum and
// mask need no operation across lanes, and K is read as stored. Scores are in units of log 2 (Q is
// scaled by `scale / log 2`), which turns the exponential into exp2.
#pragma once

#include "workloads/flash/gemm.h"
#include "workloads/flash/pack.h"

namespace sweepd::flash::SWEEPD_FLASH_ISA {

constexpr float kLog2E = 1.44269504F, kLn2 = 0.69314718F;
constexpr float kMinusInfinity = -__builtin_inff();

// The default tile: multiples of a register tile's rows and columns. Four tiles of fp32 at d = 64
// need 250 KB, a part of any L2 cache with AVX-512.
constexpr Tile kForwardTile{192, 128};

inline int64_t forward_floats(int64_t width, Tile tile) {
  const int64_t scores = tile_stride(tile.rows);
  return padded_width(width) * scores + (tile.rows + 2 * tile.columns) * tile_stride(width) +
         tile.columns * scores + 3 * tile.rows;
}

struct ForwardTiles {
  ForwardTiles(float* memory, int64_t width, Tile size)
      : tile(size), stride(tile_stride(width)), score_stride(tile_stride(size.rows)) {
    Workspace workspace(memory);
    q = workspace.take(padded_width(width) * score_stride);
    o = workspace.take(tile.rows * stride);
    k = workspace.take(tile.columns * stride);
    v = workspace.take(tile.columns * stride);
    p = workspace.take(tile.columns * score_stride);
    largest = workspace.take(tile.rows);
    sum = workspace.take(tile.rows);
    decay = workspace.take(tile.rows);
  }
  Tile tile;
  int64_t stride;        // of o, k and v
  int64_t score_stride;  // of q and p
  float* q;              // [width][rows]
  float* o;              // [rows][width]
  float *k, *v;          // [columns][width]
  float* p;              // [columns][rows]: scores, then probabilities
  // Of each row: its largest score, sum of exp2(score - largest), and the factor for older sums.
  float *largest, *sum, *decay;
};

// The place of a tile of scores. Its first row is `shift` rows below its first column.
struct Place {
  int64_t rows, columns;
  int64_t shift;  // first row - first column
  bool causal;
};

// For row `first` of a tile and the others in its vector: the number of columns that all of them
// see, and that at least one sees.
struct Seen {
  Seen(const Place& place, int64_t first)
      : by_all(place.causal ? most(0, least(place.columns, first + place.shift + 1))
                            : place.columns),
        by_one(place.causal ? most(0, least(place.columns, first + place.shift + kLanes))
                            : place.columns) {}
  int64_t by_all, by_one;
};

// Selects the lanes whose row sees `column`.
inline Ints sees(int64_t first_row, int64_t column, int64_t shift) {
  Ints row;
  for (int lane = 0; lane < kLanes; ++lane) row[lane] = lane;
  return row >= static_cast<int32_t>(column - shift - first_row);
}

// Converts scores to probabilities relative to the new maximum.
inline void soften(const Place& place, const ForwardTiles& tiles) {
  const int64_t stride = tiles.score_stride;
  for (int64_t row = 0; row < place.rows; row += kLanes) {
    float* const scores = tiles.p + row;
    const Seen seen(place, row);
    const Floats before = load(tiles.largest + row);
    Floats largest = before;
    for (int64_t c = 0; c < seen.by_all; ++c) {
      largest = larger(load(scores + c * stride), largest);
    }
    for (int64_t c = seen.by_all; c < seen.by_one; ++c) {
      float* const at = scores + c * stride;
      const Floats score = sees(row, c, place.shift) ? load(at) : all(kMinusInfinity);
      store(at, score);
      largest = larger(score, largest);
    }
    // If nothing finite was seen yet, exp2(-inf - 0) is 0, while exp2(-inf - -inf) is not.
    const Floats base = largest == kMinusInfinity ? Floats{} : largest;
    Floats sum{};
    for (int64_t c = 0; c < seen.by_one; ++c) {
      const Floats p = exp2(load(scores + c * stride) - base);
      store(scores + c * stride, p);
      sum += p;
    }
    for (int64_t c = seen.by_one; c < place.columns; ++c) {
      store(scores + c * stride, Floats{});
    }
    const Floats decay = exp2(before - base);
    store(tiles.decay + row, decay);
    store(tiles.sum + row, load(tiles.sum + row) * decay + sum);
    store(tiles.largest + row, largest);
  }
}

inline void rescale(const ForwardTiles& tiles, int64_t rows, int64_t width) {
  for (int64_t r = 0; r < rows; ++r) {
    const float decay = tiles.decay[r];
    if (decay == 1) continue;
    float* const row = tiles.o + r * tiles.stride;
    for (int64_t c = 0; c < width; c += kLanes) store(row + c, load(row + c) * decay);
  }
}

template <class E>
void add_tile(const Head& head, int64_t first_column, const Place& place,
              const ForwardTiles& tiles) {
  pack<E>(head.k, first_column, place.columns, head.width, tiles.k, tiles.stride);
  pack<E>(head.v, first_column, place.columns, head.width, tiles.v, tiles.stride);
  const bool cut = place.causal && place.shift < place.columns - 1;  // the mask hides some of it
  Spare scores, values;
  if (cut) {
    const bool finite =
        is_finite<Fp32>({tiles.v, tiles.stride}, place.columns, padded_width(head.width));
    scores = {Spare::kColumnsBefore, -place.shift, false};
    values = {Spare::kDepthAfter, place.shift, !finite};
  }
  gemm(place.columns, place.rows, head.width, {tiles.k, tiles.stride, 1},
       {tiles.q, tiles.score_stride}, {tiles.p, tiles.score_stride}, Into::kSet, scores);
  soften(place, tiles);
  const bool first = first_column == 0;
  if (!first) rescale(tiles, place.rows, head.width);
  gemm(place.rows, head.width, place.columns, {tiles.p, 1, tiles.score_stride},
       {tiles.v, tiles.stride}, {tiles.o, tiles.stride}, first ? Into::kSet : Into::kAdd, values);
}

template <class E>
void forward_rows(const ForwardTask& task, int64_t first_row, int64_t rows,
                  const ForwardTiles& tiles) {
  const Head& head = task.head;
  // O's tile contains Q until there is an O.
  pack<E>(head.q, first_row, rows, head.width, tiles.o, tiles.stride);
  transpose(tiles.o, tiles.stride, rows, head.width, tiles.q, tiles.score_stride,
            head.scale * kLog2E);
  for (int64_t r = 0; r < tiles.tile.rows; ++r) tiles.largest[r] = kMinusInfinity, tiles.sum[r] = 0;

  const int64_t end = head.causal ? least(head.length, first_row + rows) : head.length;
  for (int64_t column = 0; column < end; column += tiles.tile.columns) {
    const Place place{rows, least(tiles.tile.columns, end - column), first_row - column,
                      head.causal};
    add_tile<E>(head, column, place, tiles);
  }
  for (int64_t r = 0; r < rows; ++r) {
    unpack_row<E>(tiles.o + r * tiles.stride, 1 / tiles.sum[r], head.width,
                  row_of<E>(task.o, first_row + r));
    task.lse[first_row + r] = tiles.largest[r] * kLn2 + __builtin_logf(tiles.sum[r]);
  }
}

template <class E>
void forward(const ForwardTask& task, float* memory) {
  const ForwardTiles tiles(memory, task.head.width, task.tile);
  const int64_t end = task.first + task.count;
  for (int64_t row = task.first; row < end; row += task.tile.rows) {
    forward_rows<E>(task, row, least(task.tile.rows, end - row), tiles);
  }
}

}  // namespace sweepd::flash::SWEEPD_FLASH_ISA
