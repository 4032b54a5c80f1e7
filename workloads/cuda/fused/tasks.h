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
  void* dw = nullptr;         // [columns]
  float* rstd = nullptr;      // [rows]
  float* dw_parts = nullptr;  // [parts, columns]: the sums of each block of the backward
  int parts = 0;
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

struct AdamWTensor {
  float* p = nullptr;
  const void* g = nullptr;
  float* m = nullptr;
  float* v = nullptr;
  void* copy = nullptr;  // of g's type, or null
  std::int64_t count = 0;
};

// Tensors with gradients of one type. Blocks take chunks of the tensors in turns.
struct AdamWTask {
  static constexpr int kMostTensors = 72, kChunk = 8192;  // elements
  // Adds a tensor if the table has room.
  bool add(const AdamWTensor& tensor) {
    if (size == kMostTensors) return false;
    const std::int64_t chunks = (tensor.count + kChunk - 1) / kChunk;
    ends[size] = (size == 0 ? 0 : ends[size - 1]) + static_cast<int>(chunks);
    tensors[size++] = tensor;
    return true;
  }

  AdamWTensor tensors[kMostTensors];
  int ends[kMostTensors] = {};  // chunks up to the end of each tensor
  int size = 0;
  const float* updates = nullptr;  // the number of this update
  double lr = 0, beta1 = 0, beta2 = 0, eps = 0, weight_decay = 0;
};
static_assert(sizeof(AdamWTask) <= 4096, "the table is passed as kernel parameters");

// Most columns of a norm: a block adds up dw in shared memory.
inline constexpr int kMostNormColumns = 40000;

}  // namespace sweepd::gpu
