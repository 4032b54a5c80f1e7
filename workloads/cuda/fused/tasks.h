// The input of the fused operations' kernels on a GPU. Includes no torch or CUDA header.
//
// Rows are adjacent elements; a stride is from one row to the next, in elements.
#pragma once

#include <cstdint>

#include "workloads/cuda/flash/problem.h"

namespace sweepd::gpu {

struct NormTask {
  const void* x = nullptr;  // [rows, columns], as dx
  const void* w = nullptr;  // [columns], of x's type
  void* y = nullptr;        // forward
  const void* dy = nullptr;
  void* dx = nullptr;
  float* rstd = nullptr;      // [rows]
  float* dw_parts = nullptr;  // [blocks, columns]: the rows' sums of each block
  std::int64_t rows = 0;
  int columns = 0;
  float eps = 0;
};

// From x [outer, inner, middle, n] with strides to y [outer, middle, inner, n], contiguous. Table
// rows are numbered along `inner`, or for the inverse along `middle`.
struct RotaryTask {
  const void* x = nullptr;
  void* y = nullptr;
  const float* cosines = nullptr;  // [positions, n]
  const float* sines = nullptr;
  std::int64_t outer = 0, inner = 0, middle = 0;
  std::int64_t outer_stride = 0, inner_stride = 0, middle_stride = 0;
  int n = 0;
  bool inverse = false;
};

struct GateTask {
  const void* a = nullptr;
  const void* b = nullptr;
  std::int64_t a_stride = 0, b_stride = 0;
  void* y = nullptr;  // forward, contiguous
  const void* dy = nullptr;
  std::int64_t dy_stride = 0;
  void* da = nullptr;  // da and db are the halves of rows of 2 columns
  void* db = nullptr;
  std::int64_t rows = 0;
  int columns = 0;
};

struct AdamWTask {
  float* p = nullptr;
  const void* g = nullptr;
  float* m = nullptr;
  float* v = nullptr;
  void* copy = nullptr;            // of g's type, or null
  const float* updates = nullptr;  // the number of this update
  std::int64_t count = 0;
  double lr = 0, beta1 = 0, beta2 = 0, eps = 0, weight_decay = 0;
};

// Most columns of a norm: a block adds up dw in shared memory.
inline constexpr int kMostNormColumns = 40000;

}  // namespace sweepd::gpu
