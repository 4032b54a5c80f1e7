// Makes tiles of bf16 for AMX from tensors: rows padded with zeros, and the layouts of its right
// side and transposed left sides.
#pragma once

#include "workloads/flash/amx_gemm.h"
#include "workloads/flash/pack.h"

namespace sweepd::flash::SWEEPD_FLASH_ISA {

#if defined(__AMX_BF16__)

// Depths of a product are multiples of this; rows and columns are multiples of 16.
constexpr int64_t kPair = 32;

// Writes tile[r][c], with zeros up to `padded_rows` and `stride`.
inline void pack_bf16(const Matrix& from, int64_t first, int64_t rows, int64_t width,
                      uint16_t* tile, int64_t padded_rows, int64_t stride) {
  for (int64_t r = 0; r < rows; ++r) {
    uint16_t* const out = tile + r * stride;
    memcpy(out, row_of<Bf16>(from, first + r), static_cast<size_t>(width) * 2);
    memset(out + width, 0, static_cast<size_t>(stride - width) * 2);
  }
  memset(tile + rows * stride, 0, static_cast<size_t>((padded_rows - rows) * stride) * 2);
}

// Makes the right side B = tile^T: out[c / 2][r], pairs of columns of a row. Counts are whole
// vectors of pairs: rows a multiple of 16, columns of 32.
inline void pairs_of_columns(const uint16_t* tile, int64_t rows, int64_t columns, uint32_t* out,
                             int64_t out_stride) {
  transpose_bits(reinterpret_cast<const float*>(tile), columns / 2, rows, columns / 2,
                 reinterpret_cast<float*>(out), out_stride);
}

// Makes the right side B = tile: out[r / 2][c], pairs of rows of a column. Columns a multiple of
// 16.
inline void pairs_of_rows(const uint16_t* tile, int64_t stride, int64_t rows, int64_t columns,
                          uint32_t* out, int64_t out_stride) {
  for (int64_t r = 0; r < rows; r += 2) {
    const uint16_t* const low = tile + r * stride;
    const uint16_t* const high = low + stride;
    uint32_t* const to = out + r / 2 * out_stride;
    for (int64_t c = 0; c < columns; c += kLanes) {
      const __m512i a =
          _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(low + c)));
      const __m512i b =
          _mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(high + c)));
      _mm512_storeu_si512(to + c, _mm512_or_si512(a, _mm512_slli_epi32(b, 16)));
    }
  }
}

// Makes the left side A = tile^T: out[c][r] with `rows` elements per row, through `pairs` of [rows
// / 2] [columns]. Rows a multiple of 32, columns of 16.
inline void transposed_bf16(const uint16_t* tile, int64_t stride, int64_t rows, int64_t columns,
                            uint32_t* pairs, uint16_t* out) {
  pairs_of_rows(tile, stride, rows, columns, pairs, columns);
  transpose_bits(reinterpret_cast<const float*>(pairs), columns, rows / 2, columns,
                 reinterpret_cast<float*>(out), rows / 2);
}

// Rounds 16 of each to nearest even: `low` becomes the first half, as rows or mixed into pairs.
inline __m512i narrow_two(Floats low, Floats high) {
  const __m512bh both =
      _mm512_cvtne2ps_pbh(reinterpret_cast<__m512>(high), reinterpret_cast<__m512>(low));
  __m512i bits;
  memcpy(&bits, &both, sizeof bits);
  return bits;
}

inline __m512i mix_pairs(__m512i rows) {
  const __m512i order = _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24,
                                         8, 23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
  return _mm512_permutexvar_epi16(order, rows);
}

// Selects lanes [0, count) of a vector.
inline Ints first_lanes(int64_t count) {
  Ints lanes;
  for (int lane = 0; lane < kLanes; ++lane) lanes[lane] = lane;
  return lanes < static_cast<int32_t>(least(kLanes, most(0, count)));
}

#endif

}  // namespace sweepd::flash::SWEEPD_FLASH_ISA
