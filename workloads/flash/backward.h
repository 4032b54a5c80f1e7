// The backward of FlashAttention-2 (Dao, 2023, algorithm 2) for some columns of the scores: the
// same rows of dK and dV, and their contribution to dQ. Probabilities are computed again from the
// scores and the log-sum-exp.
//
//   P = exp(scale Q K^T - lse)   dV = P^T dO   dP = dO V^T   delta = rows of dO * O, summed
//   dS = P * (dP - delta)        dQ = scale dS K             dK = scale dS^T Q
//
// Tiles are transposed as in forward.h: [columns][rows].
#pragma once

#include "workloads/flash/forward.h"

namespace sweepd::flash::SWEEPD_FLASH_ISA {

constexpr Tile kBackwardTile{128, 144};

inline int64_t backward_floats(int64_t width, Tile tile) {
  const int64_t probabilities = tile_stride(tile.rows);
  return 2 * padded_width(width) * probabilities +
         (2 * tile.rows + 4 * tile.columns) * tile_stride(width) +
         2 * tile.columns * probabilities + 2 * tile.rows;
}

struct BackwardTiles {
  BackwardTiles(float* memory, int64_t width, Tile size)
      : tile(size), stride(tile_stride(width)), probability_stride(tile_stride(size.rows)) {
    Workspace workspace(memory);
    qt = workspace.take(padded_width(width) * probability_stride);
    d_ot = workspace.take(padded_width(width) * probability_stride);
    q = workspace.take(tile.rows * stride);
    d_o = workspace.take(tile.rows * stride);
    k = workspace.take(tile.columns * stride);
    v = workspace.take(tile.columns * stride);
    dk = workspace.take(tile.columns * stride);
    dv = workspace.take(tile.columns * stride);
    p = workspace.take(tile.columns * probability_stride);
    ds = workspace.take(tile.columns * probability_stride);
    lse = workspace.take(tile.rows);
    delta = workspace.take(tile.rows);
  }
  Tile tile;
  int64_t stride;              // of q, d_o, k, v, dk and dv
  int64_t probability_stride;  // of qt, d_ot, p and ds
  float *qt, *d_ot;            // [width][rows], Q in units of log 2
  float *q, *d_o;              // [rows][width]
  float *k, *v, *dk, *dv;      // [columns][width]
  float *p, *ds;               // [columns][rows]
  float *lse, *delta;          // [rows], lse in units of log 2
};

// Returns the sum of dO * O over a row.
template <class E>
float dot(const float* d_o, const typename E::Stored* o, int64_t width) {
  const int64_t whole = width / kLanes * kLanes;
  Floats sums{};
  for (int64_t c = 0; c < whole; c += kLanes) sums += load(d_o + c) * E::load_floats(o + c);
  float sum = 0;
  for (int64_t c = whole; c < width; ++c) sum += d_o[c] * E::widen(o[c]);
  for (int lane = 0; lane < kLanes; ++lane) sum += sums[lane];
  return sum;
}

template <class E>
void pack_rows(const BackwardTask& task, int64_t first, int64_t rows, const BackwardTiles& tiles) {
  const Head& head = task.head;
  pack<E>(head.q, first, rows, head.width, tiles.q, tiles.stride);
  pack<E>(task.d_o, first, rows, head.width, tiles.d_o, tiles.stride);
  transpose(tiles.q, tiles.stride, rows, head.width, tiles.qt, tiles.probability_stride,
            head.scale * kLog2E);
  transpose(tiles.d_o, tiles.stride, rows, head.width, tiles.d_ot, tiles.probability_stride, 1);
  for (int64_t r = 0; r < tiles.tile.rows; ++r) {
    tiles.lse[r] = r < rows ? task.lse[first + r] * kLog2E : 0;
    tiles.delta[r] =
        r < rows ? dot<E>(tiles.d_o + r * tiles.stride, row_of<E>(task.o, first + r), head.width)
                 : 0;
  }
}

// Converts scores and dP to P and dS, with zeros where the mask hides.
inline void differentiate(const Place& place, const BackwardTiles& tiles) {
  for (int64_t c = 0; c < place.columns; ++c) {
    float* const scores = tiles.p + c * tiles.probability_stride;
    float* const gradients = tiles.ds + c * tiles.probability_stride;
    for (int64_t row = 0; row < place.rows; row += kLanes) {
      Floats p = exp2(load(scores + row) - load(tiles.lse + row));
      Floats ds = p * (load(gradients + row) - load(tiles.delta + row));
      if (place.causal && row + place.shift < c) {
        const Ints seen = sees(row, c, place.shift);
        p = seen ? p : Floats{};
        ds = seen ? ds : Floats{};
      }
      store(scores + row, p);
      store(gradients + row, ds);
    }
  }
}

inline void add_gradients(const Head& head, const Place& place, const BackwardTiles& tiles,
                          float* dq) {
  Spare scores, columns, rows;
  if (place.causal && place.shift < place.columns - 1) {
    const int64_t padded = padded_width(head.width);
    const bool finite = is_finite<Fp32>({tiles.q, tiles.stride}, place.rows, padded) &&
                        is_finite<Fp32>({tiles.d_o, tiles.stride}, place.rows, padded) &&
                        is_finite<Fp32>({tiles.k, tiles.stride}, place.columns, padded);
    scores = {Spare::kColumnsBefore, -place.shift, false};
    columns = {Spare::kDepthBefore, -place.shift, !finite};
    rows = {Spare::kDepthAfter, place.shift, !finite};
  }
  const int64_t stride = tiles.stride, width = head.width;
  gemm(place.columns, place.rows, width, {tiles.k, stride, 1}, {tiles.qt, tiles.probability_stride},
       {tiles.p, tiles.probability_stride}, Into::kSet, scores);
  gemm(place.columns, place.rows, width, {tiles.v, stride, 1},
       {tiles.d_ot, tiles.probability_stride}, {tiles.ds, tiles.probability_stride}, Into::kSet,
       scores);
  differentiate(place, tiles);
  gemm(place.columns, width, place.rows, {tiles.p, tiles.probability_stride, 1},
       {tiles.d_o, stride}, {tiles.dv, stride}, Into::kAdd, columns);
  gemm(place.columns, width, place.rows, {tiles.ds, tiles.probability_stride, 1}, {tiles.q, stride},
       {tiles.dk, stride}, Into::kAdd, columns);
  gemm(place.rows, width, place.columns, {tiles.ds, 1, tiles.probability_stride}, {tiles.k, stride},
       {dq, padded_width(width)}, Into::kAdd, rows);
}

template <class E>
void backward_columns(const BackwardTask& task, int64_t first, int64_t columns,
                      const BackwardTiles& tiles) {
  const Head& head = task.head;
  pack<E>(head.k, first, columns, head.width, tiles.k, tiles.stride);
  pack<E>(head.v, first, columns, head.width, tiles.v, tiles.stride);
  const auto bytes = static_cast<size_t>(columns * tiles.stride) * sizeof(float);
  memset(tiles.dk, 0, bytes);
  memset(tiles.dv, 0, bytes);
  for (int64_t row = head.causal ? first : 0; row < head.length; row += tiles.tile.rows) {
    const Place place{least(tiles.tile.rows, head.length - row), columns, row - first, head.causal};
    pack_rows<E>(task, row, place.rows, tiles);
    add_gradients(head, place, tiles, task.dq_sum + row * padded_width(head.width));
  }
  for (int64_t c = 0; c < columns; ++c) {
    unpack_row<E>(tiles.dk + c * tiles.stride, head.scale, head.width,
                  row_of<E>(task.dk, first + c));
    unpack_row<E>(tiles.dv + c * tiles.stride, 1, head.width, row_of<E>(task.dv, first + c));
  }
}

template <class E>
void backward(const BackwardTask& task, float* memory) {
  const BackwardTiles tiles(memory, task.head.width, task.tile);
  const int64_t end = task.first + task.count;
  for (int64_t column = task.first; column < end; column += task.tile.columns) {
    backward_columns<E>(task, column, least(task.tile.columns, end - column), tiles);
  }
}

template <class E>
void finish_dq(const DqTask& task) {
  float sum[kMaxWidth];
  const int64_t padded = padded_width(task.width);
  for (int64_t r = 0; r < task.length; ++r) {
    const float* const row = task.sums + r * padded;
    for (int64_t c = 0; c < padded; c += kLanes) {
      Floats total = load(row + c);
      for (int64_t part = 1; part < task.parts; ++part) {
        total += load(row + part * task.part_stride + c);
      }
      store(sum + c, total);
    }
    unpack_row<E>(sum, task.scale, task.width, row_of<E>(task.dq, r));
  }
}

}  // namespace sweepd::flash::SWEEPD_FLASH_ISA
