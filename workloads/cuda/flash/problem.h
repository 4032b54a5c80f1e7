// The input of the GPU FlashAttention kernels. Includes no torch or CUDA header, because the glue
// (flash.cpp), the launchers (*.cu) and the tests all include it.
//
// A matrix of a problem is [B, h, S, d] with its last dimension contiguous; strides are in
// elements. The 16-bit kernels also need the other strides to be multiples of 8 and the data to be
// 16-byte aligned (they copy 16 bytes at a time), and so d to be a multiple of 8.
#pragma once

#include <cstdint>

namespace sweepd::gpu {

enum class Element { kFp16, kBf16, kFp32 };

struct Matrix {
  void* data = nullptr;
  std::int64_t batch_stride = 0, head_stride = 0, row_stride = 0;
};

struct Problem {
  int batch = 0, heads = 0, sequence = 0, head_dim = 0;
  float scale = 1;  // factor of the scores; positive
  bool causal = false;
  Matrix q, k, v, o;
  float* lse = nullptr;  // [B, h, S]

  // Used in the backward only.
  Matrix d_o, dq, dk, dv;
  // [B, h, padded S]: lse in units of log2, and the row sums of o d_o. Rows beyond S contain
  // +infinity and 0, which make their probabilities 0.
  float* lse_log2 = nullptr;
  float* delta = nullptr;
  // Sums of dq over blocks of keys, initially zero; dq_sum_floats() of them. Each kernel has its
  // own order.
  float* dq_sum = nullptr;
};

constexpr int round_up(int value, int multiple) {
  return (value + multiple - 1) / multiple * multiple;
}
constexpr int blocks_of(int value, int block) {
  return (value + block - 1) / block;
}

// Rows stored of lse_log2, delta and dq_sum: no block is longer than 128.
constexpr int padded_rows(int sequence) {
  return round_up(sequence, 128);
}
// The head dimension that the portable and the fp32 kernels use.
constexpr int padded_head_dim(int head_dim) {
  return round_up(head_dim, 32);
}

// The same of the kernels for Hopper.
constexpr int hopper_head_dim(int head_dim) {
  return round_up(head_dim, 64);
}

// `columns` is the padded head dimension of the kernels that add it up.
constexpr std::int64_t dq_sum_floats(const Problem& p, int columns) {
  return static_cast<std::int64_t>(p.batch) * p.heads * padded_rows(p.sequence) * columns;
}

}  // namespace sweepd::gpu
