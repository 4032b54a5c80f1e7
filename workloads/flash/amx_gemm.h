// C = A B or C += A B of bf16 tiles with AMX: tiles of 16 rows of 64 bytes, four of C at a time.
//
// A: [M][K] bf16, rows. B: [K / 2][N], each element two bf16: rows 2k and 2k + 1 of a column, AMX's
// format for the right side. C: [M][N] fp32. M and N are multiples of 16, K of 32.
#pragma once

#include <immintrin.h>

#include "workloads/flash/simd.h"

namespace sweepd::flash::SWEEPD_FLASH_ISA {

#if defined(__AMX_BF16__)

struct BytesA {
  const uint16_t* data;
  int64_t stride;  // elements
};
struct BytesB {
  const uint32_t* data;
  int64_t stride;  // pairs
};
struct SumsC {
  float* data;
  int64_t stride;
};

enum class Sums { kSet, kAdd };

// What a causal mask makes unnecessary, in blocks; `shift` is the first row of the scores minus
// their first column. The remaining zeros are multiplied.
struct Cut {
  enum Kind {
    kNothing,
    kColumnsAfter,  // C are scores: columns beyond row + shift are not needed
    kDepthAfter,    // A are scores: zero beyond k = row + shift
    kDepthBefore    // B are scores: zero before k = column - shift
  };
  Kind kind = kNothing;
  int64_t shift = 0;
};

struct TileShapes {
  alignas(64) uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t bytes_per_row[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

// GCC 12's intrinsics do not declare which memory they use, so stores before them and loads after
// them must not be moved across.
inline void settle_memory() {
  asm volatile("" ::: "memory");
}

// Configures this thread's tiles for the lifetime of the object. Torch's own products reconfigure
// them.
class Tiles {
 public:
  Tiles() {
    const TileShapes shapes;
    const void* at = &shapes;
    asm volatile("" : "+r"(at) : : "memory");  // else most of it seems to be never read
    _tile_loadconfig(at);
  }
  ~Tiles() { _tile_release(); }
  Tiles(const Tiles&) = delete;
  Tiles& operator=(const Tiles&) = delete;
};

// Blocks of 16 x 16 of C: kDown of them vertically, kAcross horizontally; at most 2 each.
template <int kDown, int kAcross>
void multiply_block(int64_t begin, int64_t end, BytesA a, BytesB b, SumsC c, Sums sums) {
  const int64_t a_bytes = a.stride * 2, b_bytes = b.stride * 4, c_bytes = c.stride * 4;
  float* const below = c.data + 16 * c.stride;
  settle_memory();
  if (sums == Sums::kAdd) {
    _tile_loadd(0, c.data, c_bytes);
    if constexpr (kAcross == 2) _tile_loadd(1, c.data + 16, c_bytes);
    if constexpr (kDown == 2) _tile_loadd(2, below, c_bytes);
    if constexpr (kDown == 2 && kAcross == 2) _tile_loadd(3, below + 16, c_bytes);
  } else {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
  for (int64_t k = begin; k < end; k += 32) {
    const uint32_t* const right = b.data + k / 2 * b.stride;
    _tile_loadd(4, a.data + k, a_bytes);
    _tile_loadd(6, right, b_bytes);
    _tile_dpbf16ps(0, 4, 6);
    if constexpr (kAcross == 2) {
      _tile_loadd(7, right + 16, b_bytes);
      _tile_dpbf16ps(1, 4, 7);
    }
    if constexpr (kDown == 2) {
      _tile_loadd(5, a.data + 16 * a.stride + k, a_bytes);
      _tile_dpbf16ps(2, 5, 6);
      if constexpr (kAcross == 2) _tile_dpbf16ps(3, 5, 7);
    }
  }
  _tile_stored(0, c.data, c_bytes);
  if constexpr (kAcross == 2) _tile_stored(1, c.data + 16, c_bytes);
  if constexpr (kDown == 2) _tile_stored(2, below, c_bytes);
  if constexpr (kDown == 2 && kAcross == 2) _tile_stored(3, below + 16, c_bytes);
  settle_memory();
}

inline void multiply_tiles(int64_t rows, int64_t columns, int64_t depth, BytesA a, BytesB b,
                           SumsC c, Sums sums, Cut cut = {}) {
  for (int64_t m = 0; m < rows; m += 32) {
    const int64_t last_row = least(rows, m + 32) - 1;
    for (int64_t n = 0; n < columns; n += 32) {
      int64_t begin = 0, end = depth;
      if (cut.kind == Cut::kColumnsAfter && n > last_row + cut.shift) break;
      if (cut.kind == Cut::kDepthAfter) {
        end = most(0, least(depth, (last_row + cut.shift + 32) / 32 * 32));
      }
      if (cut.kind == Cut::kDepthBefore) begin = most(0, n - cut.shift) / 32 * 32;
      if (begin >= end && sums == Sums::kAdd) continue;
      const BytesA left{a.data + m * a.stride, a.stride};
      const BytesB right{b.data + n, b.stride};
      const SumsC out{c.data + m * c.stride + n, c.stride};
      const bool wide = n + 16 < columns;
      if (m + 16 < rows) {
        wide ? multiply_block<2, 2>(begin, end, left, right, out, sums)
             : multiply_block<2, 1>(begin, end, left, right, out, sums);
      } else {
        wide ? multiply_block<1, 2>(begin, end, left, right, out, sums)
             : multiply_block<1, 1>(begin, end, left, right, out, sums);
      }
    }
  }
}

#endif

}  // namespace sweepd::flash::SWEEPD_FLASH_ISA
