// Makes tiles from tensors: converted to fp32, padded with zeros to whole vectors, and transposed.
#pragma once

#include "workloads/flash/simd.h"
#include "workloads/flash/task.h"

namespace sweepd::flash::SWEEPD_FLASH_ISA {

constexpr int64_t round_up(int64_t count, int64_t to) {
  return (count + to - 1) / to * to;
}
// Strides of 16 floats more than a power of two distribute rows over all sets of the L1 cache.
constexpr int64_t tile_stride(int64_t columns) {
  return round_up(columns, 16) + 16;
}

template <class E>
const typename E::Stored* row_of(const Matrix& matrix, int64_t row) {
  return static_cast<const typename E::Stored*>(matrix.data) + row * matrix.stride;
}
template <class E>
typename E::Stored* row_of(const MutableMatrix& matrix, int64_t row) {
  return static_cast<typename E::Stored*>(matrix.data) + row * matrix.stride;
}

// Writes tile[r][c], c padded to 16.
template <class E>
void pack(const Matrix& from, int64_t first, int64_t rows, int64_t width, float* tile,
          int64_t stride) {
  const int64_t whole = width / kLanes * kLanes;
  for (int64_t r = 0; r < rows; ++r) {
    const auto* source = row_of<E>(from, first + r);
    float* out = tile + r * stride;
    for (int64_t c = 0; c < whole; c += kLanes) store(out + c, E::load_floats(source + c));
    for (int64_t c = whole; c < padded_width(width); ++c) {
      out[c] = c < width ? E::widen(source[c]) : 0;
    }
  }
}

// row = row^T, kLanes x kLanes: exchanges halves, quarters, ... of pairs of rows. Only moves bits.
#if defined(__clang__)
// Clang shuffles by constants only. __make_integer_seq is its std::make_integer_sequence: no
// standard header may be compiled here, see simd.h.
template <class Integer, Integer... each>
struct Sequence {};

template <int step, int... lane>
void exchange(Floats& a, Floats& b, Sequence<int, lane...>) {
  const Floats low =
      __builtin_shufflevector(a, b, ((lane & step) != 0 ? kLanes + lane - step : lane)...);
  b = __builtin_shufflevector(a, b, ((lane & step) != 0 ? kLanes + lane : lane + step)...);
  a = low;
}

template <int step = kLanes / 2>
void transpose_square(Floats (&row)[kLanes]) {
#pragma GCC unroll 16
  for (int r = 0; r < kLanes; ++r) {
    if ((r & step) == 0) {
      exchange<step>(row[r], row[r + step], __make_integer_seq<Sequence, int, kLanes>{});
    }
  }
  if constexpr (step > 1) transpose_square<step / 2>(row);
}
#else
inline void transpose_square(Floats (&row)[kLanes]) {
#pragma GCC unroll 4
  for (int step = kLanes / 2; step > 0; step /= 2) {
    Ints low{}, high{};
#pragma GCC unroll 16
    for (int lane = 0; lane < kLanes; ++lane) {
      const bool second = (lane & step) != 0;
      low[lane] = second ? kLanes + lane - step : lane;
      high[lane] = second ? kLanes + lane : lane + step;
    }
#pragma GCC unroll 16
    for (int r = 0; r < kLanes; ++r) {
      if ((r & step) != 0) continue;
      const Floats a = row[r], b = row[r + step];
      row[r] = __builtin_shuffle(a, b, low);
      row[r + step] = __builtin_shuffle(a, b, high);
    }
  }
}
#endif

// out[c][r] = in[r][c]; both counts are whole vectors.
inline void transpose_bits(const float* in, int64_t in_stride, int64_t rows, int64_t columns,
                           float* out, int64_t out_stride) {
  for (int64_t r = 0; r < rows; r += kLanes) {
    for (int64_t c = 0; c < columns; c += kLanes) {
      Floats row[kLanes];
#pragma GCC unroll 16
      for (int i = 0; i < kLanes; ++i) row[i] = load(in + (r + i) * in_stride + c);
      transpose_square(row);
#pragma GCC unroll 16
      for (int i = 0; i < kLanes; ++i) store(out + (c + i) * out_stride + r, row[i]);
    }
  }
}

// out[c][r] = factor in[r][c]; rows of `in` beyond `rows`, up to 16, become zeros. `in` has space
// for that many, with any contents.
inline void transpose(float* in, int64_t in_stride, int64_t rows, int64_t width, float* out,
                      int64_t out_stride, float factor) {
  const int64_t padded = round_up(rows, 16);
  for (int64_t r = rows; r < padded; ++r) {
    memset(in + r * in_stride, 0, static_cast<size_t>(padded_width(width)) * sizeof(float));
  }
  transpose_bits(in, in_stride, padded, padded_width(width), out, out_stride);
  if (factor == 1) return;
  for (int64_t c = 0; c < width; ++c) {
    float* const row = out + c * out_stride;
    for (int64_t r = 0; r < padded; r += kLanes) store(row + r, load(row + r) * factor);
  }
}

// Writes a row of `width` floats, times `factor`, into a tensor.
template <class E>
void unpack_row(const float* from, float factor, int64_t width, typename E::Stored* to) {
  const int64_t whole = width / kLanes * kLanes;
  for (int64_t c = 0; c < whole; c += kLanes) E::store_floats(to + c, load(from + c) * factor);
  for (int64_t c = whole; c < width; ++c) to[c] = E::narrow(from[c] * factor);
}

// Whether every element of these rows is a finite number.
template <class E>
bool is_finite(const Matrix& from, int64_t rows, int64_t width) {
  const int64_t whole = width / kLanes * kLanes;
  for (int64_t r = 0; r < rows; ++r) {
    const auto* source = row_of<E>(from, r);
    Floats zeros{};
    float zero = 0;
    for (int64_t c = 0; c < whole; c += kLanes) zeros += E::load_floats(source + c) * 0.0F;
    for (int64_t c = whole; c < width; ++c) zero += E::widen(source[c]) * 0.0F;
    for (int lane = 0; lane < kLanes; ++lane) zero += zeros[lane];
    if (zero != 0 || zero != zero) return false;
  }
  return true;
}

// Divides a task's workspace into parts, each aligned to 64 bytes.
class Workspace {
 public:
  explicit Workspace(float* at) : at_(at) {}
  float* take(int64_t floats) {
    float* const part = at_;
    at_ += round_up(floats, 16);
    return part;
  }

 private:
  float* at_;
};

}  // namespace sweepd::flash::SWEEPD_FLASH_ISA
