// The fused operations' kernels. Each is bound by memory, so each element is read and written once,
// neighbours by neighbouring threads; sums and functions are in fp32. Blocks take rows or elements
// in turns until all are done, so that any grid is right.
#pragma once

#include "workloads/cuda/flash/row_kernels.cuh"
#include "workloads/cuda/fused/tasks.h"

namespace sweepd::gpu {

template <Element kType>
SWEEPD_DEVICE float load(const void* from, std::int64_t at) {
  return value_of<kType>(static_cast<const Stored<kType>*>(from)[at]);
}

template <Element kType>
SWEEPD_DEVICE void store(void* to, std::int64_t at, float value) {
  if constexpr (kType == Element::kFp32) {
    static_cast<float*>(to)[at] = value;
  } else {
    static_cast<std::uint16_t*>(to)[at] = static_cast<std::uint16_t>(pack<kType>(value, 0));
  }
}

SWEEPD_DEVICE float sigmoid(float x) {
  return 1 / (1 + exp2_of(-kLog2E * x));
}

// Common to all kernels here: a block of 256 threads.
struct FusedKernel {
  static constexpr int kThreads = 256, kWarps = kThreads / 32;

  // Every thread's sum of `value` over the block. Uses shared_floats()[0 .. kWarps).
  SWEEPD_DEVICE static float sum_of_block(float value) {
    for (int mask = 16; mask > 0; mask /= 2) value += shuffle_xor(value, mask);
    if (thread_index() % 32 == 0) shared_floats()[thread_index() / 32] = value;
    sync_block();
    float sum = 0;
    for (int warp = 0; warp < kWarps; ++warp) sum += shared_floats()[warp];
    sync_block();  // before the next sum overwrites it
    return sum;
  }

  // Calls body(i) for this thread's part of the numbers below `count`.
  template <class Body>
  SWEEPD_DEVICE static void each_of(std::int64_t count, const Body& body) {
    const std::int64_t stride = static_cast<std::int64_t>(grid_x()) * kThreads;
    for (std::int64_t i = static_cast<std::int64_t>(block_x()) * kThreads + thread_index();
         i < count; i += stride) {
      body(i);
    }
  }
};

template <Element kIn, Element kOut>
struct NormForward : FusedKernel {
  SWEEPD_DEVICE void run(const NormTask& t) {
    for (std::int64_t row = block_x(); row < t.rows; row += grid_x()) {
      const std::int64_t begin = row * t.columns;
      float squares = 0;
      for (int column = thread_index(); column < t.columns; column += kThreads) {
        const float x = load<kIn>(t.x, begin + column);
        squares += x * x;
      }
      const float mean = sum_of_block(squares) / static_cast<float>(t.columns);
      const float rstd = 1 / sqrtf(mean + t.eps);
      if (thread_index() == 0) t.rstd[row] = rstd;
      for (int column = thread_index(); column < t.columns; column += kThreads) {
        const float x = load<kIn>(t.x, begin + column);
        store<kOut>(t.y, begin + column, x * rstd * load<kIn>(t.w, column));
      }
    }
  }
};

// Shared memory: the warps' sums, then a block's part of dw. A column belongs to one thread.
template <Element kIn, Element kOut>
struct NormBackward : FusedKernel {
  SWEEPD_DEVICE void run(const NormTask& t) {
    float* dw = shared_floats() + kWarps;
    for (int column = thread_index(); column < t.columns; column += kThreads) dw[column] = 0;
    for (std::int64_t row = block_x(); row < t.rows; row += grid_x()) {
      const std::int64_t begin = row * t.columns;
      const float rstd = t.rstd[row];
      float products = 0;
      for (int column = thread_index(); column < t.columns; column += kThreads) {
        products += load<kOut>(t.dy, begin + column) * load<kIn>(t.w, column) *
                    load<kIn>(t.x, begin + column);
      }
      const float mean = sum_of_block(products) * rstd * rstd / static_cast<float>(t.columns);
      for (int column = thread_index(); column < t.columns; column += kThreads) {
        const float dy = load<kOut>(t.dy, begin + column), x = load<kIn>(t.x, begin + column);
        store<kIn>(t.dx, begin + column, (dy * load<kIn>(t.w, column) - x * mean) * rstd);
        dw[column] += dy * x * rstd;
      }
    }
    for (int column = thread_index(); column < t.columns; column += kThreads) {
      t.dw_parts[static_cast<std::int64_t>(block_x()) * t.columns + column] = dw[column];
    }
  }
};
constexpr int norm_backward_shared_bytes(int columns) {
  return 4 * (FusedKernel::kWarps + columns);
}

// One pair per thread.
template <Element kType>
struct Rotate : FusedKernel {
  SWEEPD_DEVICE void run(const RotaryTask& t) {
    const int pairs = t.n / 2;
    each_of(t.outer * t.middle * t.inner * pairs, [&](std::int64_t i) {
      const std::int64_t row = i / pairs;
      const int column = static_cast<int>(i % pairs) * 2;
      const std::int64_t inner = row % t.inner, middle = row / t.inner % t.middle;
      const std::int64_t outer = row / (t.inner * t.middle);
      const std::int64_t from =
          outer * t.outer_stride + inner * t.inner_stride + middle * t.middle_stride + column;
      const std::int64_t angle = (t.inverse ? middle : inner) * t.n + column;
      const float cosine = t.cosines[angle];
      const float sine = t.inverse ? -t.sines[angle + 1] : t.sines[angle + 1];
      const float x0 = load<kType>(t.x, from), x1 = load<kType>(t.x, from + 1);
      store<kType>(t.y, row * t.n + column, x0 * cosine - x1 * sine);
      store<kType>(t.y, row * t.n + column + 1, x1 * cosine + x0 * sine);
    });
  }
};

// The pair of inputs of one element of the gate.
template <Element kType>
struct Gated {
  float a, b;
  SWEEPD_DEVICE Gated(const GateTask& t, std::int64_t row, std::int64_t column)
      : a(load<kType>(t.a, row * t.a_stride + column)),
        b(load<kType>(t.b, row * t.b_stride + column)) {}
};

template <Element kType>
struct GateForward : FusedKernel {
  SWEEPD_DEVICE void run(const GateTask& t) {
    each_of(t.rows * t.columns, [&](std::int64_t i) {
      const Gated<kType> in(t, i / t.columns, i % t.columns);
      store<kType>(t.y, i, in.a * sigmoid(in.a) * in.b);
    });
  }
};

template <Element kType>
struct GateBackward : FusedKernel {
  SWEEPD_DEVICE void run(const GateTask& t) {
    each_of(t.rows * t.columns, [&](std::int64_t i) {
      const std::int64_t row = i / t.columns, column = i % t.columns;
      const Gated<kType> in(t, row, column);
      const float dy = load<kType>(t.dy, row * t.dy_stride + column), s = sigmoid(in.a);
      const std::int64_t to = row * 2 * t.columns + column;
      store<kType>(t.da, to, dy * in.b * s * (1 + in.a * (1 - s)));
      store<kType>(t.db, to, dy * in.a * s);
    });
  }
};

// The two corrections need more digits than fp32 has (1 - 0.999), so one thread computes them in
// double for its block.
template <Element kGradient>
struct AdamWUpdate : FusedKernel {
  static constexpr int kSharedBytes = 2 * 4;

  SWEEPD_DEVICE void run(const AdamWTask& t) {
    if (thread_index() == 0) {
      const double updates = static_cast<double>(*t.updates);
      shared_floats()[0] = static_cast<float>(t.lr / (1 - pow(t.beta1, updates)));
      shared_floats()[1] = static_cast<float>(sqrt(1 - pow(t.beta2, updates)));
    }
    sync_block();
    const float step_size = shared_floats()[0], root_correction = shared_floats()[1];
    const auto keep = static_cast<float>(1 - t.lr * t.weight_decay);
    const auto beta2 = static_cast<float>(t.beta2), eps = static_cast<float>(t.eps);
    const auto new1 = static_cast<float>(1 - t.beta1), new2 = static_cast<float>(1 - t.beta2);
    each_of(t.count, [&](std::int64_t i) {
      const float g = load<kGradient>(t.g, i);
      const float m = t.m[i] + (g - t.m[i]) * new1;
      const float v = t.v[i] * beta2 + g * g * new2;
      const float p = t.p[i] * keep - m / (sqrtf(v) / root_correction + eps) * step_size;
      t.m[i] = m;
      t.v[i] = v;
      t.p[i] = p;
      if (t.copy != nullptr) store<kGradient>(t.copy, i, p);
    });
  }
};

}  // namespace sweepd::gpu
