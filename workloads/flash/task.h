// The tasks of the CPU kernels, without torch. They are compiled once for each instruction set. If
// such a file included a header of torch or of the standard library, code for AVX-512 could get
// through inline functions into programs for machines without it.
//
// A task works on one head. All matrices have `length` rows of `width` adjacent elements; strides
// are in elements.
#pragma once

#include <stdint.h>

namespace sweepd::flash {

enum class Element { kFp32, kFp16, kBf16 };

struct Matrix {
  const void* data = nullptr;
  int64_t stride = 0;  // from one row to the next
};

struct MutableMatrix {
  void* data = nullptr;
  int64_t stride = 0;
};

struct Head {
  Matrix q, k, v;
  int64_t length = 0;  // S
  int64_t width = 0;   // d
  bool causal = false;
  float scale = 1;
};

// Rows and columns of the scores that a kernel handles at a time.
struct Tile {
  int64_t rows = 0, columns = 0;
};

// Rows [first, first + count) of O and of the log-sum-exp.
struct ForwardTask {
  Head head;
  MutableMatrix o;
  float* lse = nullptr;  // of row 0
  int64_t first = 0, count = 0;
  Tile tile;
};

// Columns [first, first + count) of the scores: the same rows of dK and dV, and their contribution
// to dQ.
struct BackwardTask {
  Head head;
  Matrix o, d_o;
  const float* lse = nullptr;
  MutableMatrix dk, dv;
  float* dq_sum = nullptr;  // [length][padded_width(width)]: added to, unscaled; see finish_dq
  int64_t first = 0, count = 0;
  Tile tile;
};

// dQ from the sums of `parts` tasks, which are `part_stride` floats apart.
struct DqTask {
  MutableMatrix dq;
  const float* sums = nullptr;
  int64_t part_stride = 0, parts = 0;
  int64_t length = 0, width = 0;
  float scale = 1;
};

constexpr int64_t padded_width(int64_t width) {
  return (width + 15) / 16 * 16;
}
constexpr int64_t kMaxWidth = 256;
// A tile's rows and columns are multiples of kTileStep: whole vectors of any instruction set.
constexpr int64_t kTileStep = 16, kMaxTile = 1024;

struct Kernels {
  const char* name;  // "AVX-512"
  // The tile that they use if `wanted` is requested: `wanted`, with their own choice for its zeros.
  Tile (*forward_tile)(Tile wanted);
  Tile (*backward_tile)(Tile wanted);
  int64_t (*forward_floats)(int64_t width, Tile);  // workspace of a task
  int64_t (*backward_floats)(int64_t width, Tile);
  // `workspace` is aligned to 64 bytes.
  void (*forward)(Element, const ForwardTask&, float* workspace);
  void (*backward)(Element, const BackwardTask&, float* workspace);
  void (*finish_dq)(Element, const DqTask&);
};

extern const Kernels kPortableKernels;
#if defined(__x86_64__)
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;
#endif

}  // namespace sweepd::flash
