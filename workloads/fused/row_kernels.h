// The fused operations of the language model on a CPU, one row at a time, by instruction set. Rows
// are adjacent elements; nothing need be aligned. Everything is computed in fp32. Includes no torch
// header.
#pragma once

#include <cstdint>

namespace sweepd::fused {

enum class Element { kFp32, kFp16, kBf16 };

// y = x rstd w, with rstd = 1 / sqrt(mean(x^2) + eps) (Zhang and Sennrich, arXiv:1910.07467).
struct NormRow {
  const void* x;  // of the type `in`, as w
  const void* w;
  void* y;  // of the type `out`
  std::int64_t columns;
  float eps;
  float* rstd;  // written
};
// dx from dy; adds dy x rstd, the row's part of dw.
struct NormBackwardRow {
  const void* dy;  // of the type `out`
  const void* x;   // of the type `in`, as w and dx
  const void* w;
  void* dx;
  float* dw;  // [columns], added to
  std::int64_t columns;
  float rstd;
};

// Rotates the pairs (x[2i], x[2i + 1]): y = x cosines + swapped(x) sines sign. The tables hold each
// cosine twice, and each sine as (-sin, sin). `sign` -1 is the inverse.
struct RotaryRow {
  const void* x;
  const float* cosines;
  const float* sines;
  void* y;
  std::int64_t columns;  // even
  float sign;
};

// y = silu(a) b (Shazeer, arXiv:2002.05202).
struct GateRow {
  const void* a;
  const void* b;
  void* y;
  std::int64_t columns;
};
struct GateBackwardRow {
  const void* dy;
  const void* a;
  const void* b;
  void* da;
  void* db;
  std::int64_t columns;
};

// One update of AdamW (Loshchilov and Hutter, arXiv:1711.05101) of adjacent weights, as
// torch.optim.AdamW computes it; `copy`, if not null, gets the new weights as `element`.
struct AdamWRow {
  float* p;
  const void* g;  // of the type `element`
  float* m;
  float* v;
  void* copy;
  std::int64_t count;
  float keep;  // 1 - lr weight_decay
  float beta1, beta2;
  float eps;
  float step_size;        // lr / (1 - beta1^t)
  float root_correction;  // sqrt(1 - beta2^t)
};

struct RowKernels {
  const char* name;
  void (*norm)(Element in, Element out, const NormRow& row);
  void (*norm_backward)(Element in, Element out, const NormBackwardRow& row);
  void (*rotate)(Element element, const RotaryRow& row);
  void (*gate)(Element element, const GateRow& row);
  void (*gate_backward)(Element element, const GateBackwardRow& row);
  void (*adamw)(Element element, const AdamWRow& row);
};

extern const RowKernels kPortableRows, kAvx2Rows, kAvx512Rows;

}  // namespace sweepd::fused
