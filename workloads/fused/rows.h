// The row kernels, compiled once for each instruction set (rows_*.cpp), with the vectors of
// workloads/flash/simd.h. The same code computes the partial vector at the end of a row on a padded
// copy.
#pragma once

#include <math.h>

#include "workloads/flash/simd.h"
#include "workloads/fused/row_kernels.h"

namespace sweepd::flash::SWEEPD_FLASH_ISA {

using fused::AdamWRow;
using fused::GateBackwardRow;
using fused::GateRow;
using fused::NormBackwardRow;
using fused::NormRow;
using fused::RotaryRow;
using fused::RowKernels;

// The first `count` elements from `from`; the other lanes are 0.
template <class E>
Floats load_some(const void* from, int64_t at, int64_t count) {
  using Stored = typename E::Stored;
  const Stored* data = static_cast<const Stored*>(from) + at;
  if (count >= kLanes) return E::load_floats(data);
  Stored padded[kLanes] = {};
  memcpy(padded, data, static_cast<size_t>(count) * sizeof(Stored));
  return E::load_floats(padded);
}

template <class E>
void store_some(void* to, int64_t at, int64_t count, Floats value) {
  using Stored = typename E::Stored;
  Stored* data = static_cast<Stored*>(to) + at;
  if (count >= kLanes) return E::store_floats(data, value);
  Stored padded[kLanes];
  E::store_floats(padded, value);
  memcpy(data, padded, static_cast<size_t>(count) * sizeof(Stored));
}

// Calls body(at, count) for each vector of a row; `count` is below kLanes for the last one.
template <class Body>
void each_vector(int64_t columns, const Body& body) {
  int64_t at = 0;
  for (; at + kLanes <= columns; at += kLanes) body(at, kLanes);
  if (at < columns) body(at, columns - at);
}

inline float sum_of(Floats values) {
  float sum = 0;
  for (int lane = 0; lane < kLanes; ++lane) sum += values[lane];
  return sum;
}

inline Floats roots_of(Floats values) {
  Floats roots;
  for (int lane = 0; lane < kLanes; ++lane) roots[lane] = sqrtf(values[lane]);
  return roots;
}

inline Floats swapped_pairs(Floats values) {
#if defined(__clang__)
  Floats swapped;
  for (int lane = 0; lane < kLanes; ++lane) swapped[lane] = values[lane ^ 1];
  return swapped;
#else
  Ints from;
  for (int lane = 0; lane < kLanes; ++lane) from[lane] = lane ^ 1;
  return __builtin_shuffle(values, from);
#endif
}

inline Floats sigmoid(Floats x) {
  constexpr float kLog2E = 1.44269504F;
  Floats power = x * -kLog2E;
  power = power < 126.0F ? power : all(126.0F);  // exp2 goes no further; the result is 0 to fp32
  return 1.0F / (1.0F + exp2(power));
}

template <class In, class Out>
void norm(const NormRow& row) {
  Floats squares = {};
  each_vector(row.columns, [&](int64_t at, int64_t count) {
    const Floats x = load_some<In>(row.x, at, count);
    squares += x * x;
  });
  const float rstd = 1 / sqrtf(sum_of(squares) / static_cast<float>(row.columns) + row.eps);
  *row.rstd = rstd;
  each_vector(row.columns, [&](int64_t at, int64_t count) {
    const Floats x = load_some<In>(row.x, at, count), w = load_some<In>(row.w, at, count);
    store_some<Out>(row.y, at, count, x * rstd * w);
  });
}

template <class In, class Out>
void norm_backward(const NormBackwardRow& row) {
  Floats products = {};
  each_vector(row.columns, [&](int64_t at, int64_t count) {
    const Floats dy = load_some<Out>(row.dy, at, count), w = load_some<In>(row.w, at, count);
    products += dy * w * load_some<In>(row.x, at, count);
  });
  const float mean = sum_of(products) * row.rstd * row.rstd / static_cast<float>(row.columns);
  each_vector(row.columns, [&](int64_t at, int64_t count) {
    const Floats dy = load_some<Out>(row.dy, at, count), w = load_some<In>(row.w, at, count);
    const Floats x = load_some<In>(row.x, at, count);
    store_some<In>(row.dx, at, count, (dy * w - x * mean) * row.rstd);
    const Floats dw = load_some<Fp32>(row.dw, at, count);
    store_some<Fp32>(row.dw, at, count, dw + dy * x * row.rstd);
  });
}

template <class E>
void rotate(const RotaryRow& row) {
  each_vector(row.columns, [&](int64_t at, int64_t count) {
    const Floats x = load_some<E>(row.x, at, count);
    const Floats cosines = load_some<Fp32>(row.cosines, at, count);
    const Floats sines = load_some<Fp32>(row.sines, at, count) * row.sign;
    store_some<E>(row.y, at, count, x * cosines + swapped_pairs(x) * sines);
  });
}

template <class E>
void gate(const GateRow& row) {
  each_vector(row.columns, [&](int64_t at, int64_t count) {
    const Floats a = load_some<E>(row.a, at, count), b = load_some<E>(row.b, at, count);
    store_some<E>(row.y, at, count, a * sigmoid(a) * b);
  });
}

template <class E>
void gate_backward(const GateBackwardRow& row) {
  each_vector(row.columns, [&](int64_t at, int64_t count) {
    const Floats a = load_some<E>(row.a, at, count), b = load_some<E>(row.b, at, count);
    const Floats dy = load_some<E>(row.dy, at, count), s = sigmoid(a);
    store_some<E>(row.da, at, count, dy * b * s * (1.0F + a * (1.0F - s)));
    store_some<E>(row.db, at, count, dy * a * s);
  });
}

template <class E>
void adamw(const AdamWRow& row) {
  each_vector(row.count, [&](int64_t at, int64_t count) {
    const Floats g = load_some<E>(row.g, at, count);
    const Floats m0 = load_some<Fp32>(row.m, at, count), v0 = load_some<Fp32>(row.v, at, count);
    const Floats m = m0 + (g - m0) * (1 - row.beta1);
    const Floats v = v0 * row.beta2 + g * g * (1 - row.beta2);
    const Floats divisor = roots_of(v) / row.root_correction + row.eps;
    const Floats p = load_some<Fp32>(row.p, at, count) * row.keep - m / divisor * row.step_size;
    store_some<Fp32>(row.m, at, count, m);
    store_some<Fp32>(row.v, at, count, v);
    store_some<Fp32>(row.p, at, count, p);
    if (row.copy != nullptr) store_some<E>(row.copy, at, count, p);
  });
}

// Calls `call` with the type of the element.
template <class Call>
void with(fused::Element element, const Call& call) {
  switch (element) {
    case fused::Element::kFp32:
      return call(Fp32());
    case fused::Element::kFp16:
      return call(Fp16());
    case fused::Element::kBf16:
      return call(Bf16());
  }
}

inline void norm_of(fused::Element in, fused::Element out, const NormRow& row) {
  with(in, [&](auto i) { with(out, [&](auto o) { norm<decltype(i), decltype(o)>(row); }); });
}
inline void norm_backward_of(fused::Element in, fused::Element out, const NormBackwardRow& row) {
  with(in,
       [&](auto i) { with(out, [&](auto o) { norm_backward<decltype(i), decltype(o)>(row); }); });
}
inline void rotate_of(fused::Element element, const RotaryRow& row) {
  with(element, [&](auto e) { rotate<decltype(e)>(row); });
}
inline void gate_of(fused::Element element, const GateRow& row) {
  with(element, [&](auto e) { gate<decltype(e)>(row); });
}
inline void gate_backward_of(fused::Element element, const GateBackwardRow& row) {
  with(element, [&](auto e) { gate_backward<decltype(e)>(row); });
}
inline void adamw_of(fused::Element element, const AdamWRow& row) {
  with(element, [&](auto e) { adamw<decltype(e)>(row); });
}

constexpr RowKernels make_row_kernels(const char* name) {
  return {name, &norm_of, &norm_backward_of, &rotate_of, &gate_of, &gate_backward_of, &adamw_of};
}

}  // namespace sweepd::flash::SWEEPD_FLASH_ISA
