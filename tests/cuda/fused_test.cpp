// Runs the kernels of fused.cu on the emulator and compares them with plain loops in double.
#include "workloads/cuda/fused/fused.cuh"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tests/cuda/emulator.h"

namespace sweepd::gpu {
namespace {

// Elements of a type in memory, random unless they are results.
class Buffer {
 public:
  Buffer(Element type, std::int64_t count) : type_(type), bytes_(count * (fp32() ? 4 : 2)) {}
  Buffer(Element type, std::int64_t count, std::mt19937& random, float mean = 0)
      : Buffer(type, count) {
    std::normal_distribution<float> draw(mean, 1);
    for (std::int64_t i = 0; i < count; ++i) set(i, draw(random));
  }
  void* data() { return bytes_.data(); }
  float* floats() { return reinterpret_cast<float*>(bytes_.data()); }
  void set(std::int64_t at, float value) {
    if (fp32()) {
      floats()[at] = value;
    } else {
      reinterpret_cast<std::uint16_t*>(bytes_.data())[at] = to_bits(type_, value);
    }
  }
  double operator[](std::int64_t at) {
    if (fp32()) return floats()[at];
    return from_bits(type_, reinterpret_cast<std::uint16_t*>(bytes_.data())[at]);
  }
  // Allowed error of a result of that size.
  double allowed(double wanted) const {
    const double unit = fp32() ? 1e-5 : type_ == Element::kFp16 ? 0x1p-10 : 0x1p-7;
    return unit * (1 + std::abs(wanted));
  }

 private:
  bool fp32() const { return type_ == Element::kFp32; }
  Element type_;
  std::vector<unsigned char> bytes_;
};

void expect_near(Buffer& got, std::int64_t at, double wanted, const char* what) {
  EXPECT_NEAR(got[at], wanted, got.allowed(wanted)) << what << " " << at;
}

template <class Kernel, class Task>
void emulate_kernel(int blocks, int shared_bytes, const Task& task, std::uint32_t seed) {
  emulate({blocks, 1, 1, Kernel::kThreads, shared_bytes, seed}, [&] {
    Kernel kernel;
    kernel.run(task);
  });
}

// Columns that a block's threads cover several times, and rows that its blocks do.
template <Element kIn, Element kOut>
void check_norm(std::int64_t rows, int columns, int blocks, std::uint32_t seed) {
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  Buffer x(kIn, rows * columns, random), w(kIn, columns, random, 1), y(kOut, rows * columns);
  Buffer dy(kOut, rows * columns, random), dx(kIn, rows * columns), rstd(Element::kFp32, rows);
  Buffer parts(Element::kFp32, static_cast<std::int64_t>(blocks) * columns);
  NormTask task;
  task.x = x.data();
  task.w = w.data();
  task.y = y.data();
  task.dy = dy.data();
  task.dx = dx.data();
  task.rstd = rstd.floats();
  task.dw_parts = parts.floats();
  task.rows = rows;
  task.columns = columns;
  task.eps = 1e-5F;
  emulate_kernel<NormForward<kIn, kOut>>(blocks, 4 * FusedKernel::kWarps, task, seed);
  emulate_kernel<NormBackward<kIn, kOut>>(blocks, norm_backward_shared_bytes(columns), task, seed);

  std::vector<double> dw(static_cast<std::size_t>(columns));
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t begin = row * columns;
    double squares = 0, products = 0;
    for (int c = 0; c < columns; ++c) squares += x[begin + c] * x[begin + c];
    const double r = 1 / std::sqrt(squares / columns + 1e-5);
    for (int c = 0; c < columns; ++c) products += dy[begin + c] * w[c] * x[begin + c];
    expect_near(rstd, row, r, "rstd");
    for (int c = 0; c < columns; ++c) {
      expect_near(y, begin + c, x[begin + c] * r * w[c], "y");
      expect_near(dx, begin + c,
                  r * (dy[begin + c] * w[c] - x[begin + c] * products * r * r / columns), "dx");
      dw[static_cast<std::size_t>(c)] += dy[begin + c] * x[begin + c] * r;
    }
  }
  for (int c = 0; c < columns; ++c) {
    double sum = 0;
    for (int block = 0; block < blocks; ++block) sum += parts[std::int64_t{block} * columns + c];
    EXPECT_NEAR(sum, dw[static_cast<std::size_t>(c)], 1e-4) << "dw " << c;
  }
}

TEST(FusedKernels, Norm) {
  check_norm<Element::kFp32, Element::kFp32>(5, 300, 2, 1);
  check_norm<Element::kFp32, Element::kBf16>(3, 257, 4, 2);  // more blocks than rows
  check_norm<Element::kBf16, Element::kBf16>(4, 64, 1, 3);
  check_norm<Element::kFp32, Element::kFp16>(2, 1, 2, 4);
  check_norm<Element::kFp16, Element::kFp16>(2, 513, 2, 5);
}

template <Element kType>
void check_rotary(bool inverse, std::uint32_t seed) {
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  constexpr std::int64_t kOuter = 2, kInner = 5, kMiddle = 3, kN = 10;
  const std::int64_t positions = inverse ? kMiddle : kInner;
  // Every other row of x belongs to another tensor.
  Buffer x(kType, kOuter * kInner * kMiddle * kN * 2, random),
      y(kType, kOuter * kInner * kMiddle * kN);
  Buffer cosines(Element::kFp32, positions * kN), sines(Element::kFp32, positions * kN);
  for (std::int64_t i = 0; i < positions * kN / 2; ++i) {
    const auto angle = static_cast<float>(i);
    for (const int k : {0, 1}) cosines.set(2 * i + k, std::cos(angle));
    sines.set(2 * i, -std::sin(angle));
    sines.set(2 * i + 1, std::sin(angle));
  }
  RotaryTask task;
  task.x = x.data();
  task.y = y.data();
  task.cosines = cosines.floats();
  task.sines = sines.floats();
  task.outer = kOuter;
  task.inner = kInner;
  task.middle = kMiddle;
  task.middle_stride = 2 * kN;
  task.inner_stride = kMiddle * task.middle_stride;
  task.outer_stride = kInner * task.inner_stride;
  task.n = kN;
  task.inverse = inverse;
  emulate_kernel<Rotate<kType>>(1, 0, task, seed);
  for (std::int64_t o = 0; o < kOuter; ++o) {
    for (std::int64_t m = 0; m < kMiddle; ++m) {
      for (std::int64_t i = 0; i < kInner; ++i) {
        for (std::int64_t c = 0; c < kN; c += 2) {
          const std::int64_t from =
              o * task.outer_stride + i * task.inner_stride + m * task.middle_stride + c;
          const std::int64_t to = ((o * kMiddle + m) * kInner + i) * kN + c;
          const std::int64_t position = inverse ? m : i;
          const double angle = static_cast<double>((position * kN + c) / 2) * (inverse ? -1 : 1);
          const double x0 = x[from], x1 = x[from + 1];
          expect_near(y, to, x0 * std::cos(angle) - x1 * std::sin(angle), "y");
          expect_near(y, to + 1, x0 * std::sin(angle) + x1 * std::cos(angle), "y");
        }
      }
    }
  }
}

TEST(FusedKernels, Rotary) {
  check_rotary<Element::kFp32>(false, 1);
  check_rotary<Element::kFp32>(true, 2);
  check_rotary<Element::kBf16>(false, 3);
  check_rotary<Element::kFp16>(true, 4);
}

template <Element kType>
void check_gate(std::int64_t rows, int columns, int blocks, std::uint32_t seed) {
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  Buffer ab(kType, rows * 2 * columns, random), y(kType, rows * columns);
  Buffer dy(kType, rows * columns, random), d_ab(kType, rows * 2 * columns);
  const std::int64_t half = kType == Element::kFp32 ? 4 * columns : 2 * columns;  // bytes
  GateTask task;
  task.a = ab.data();
  task.b = static_cast<unsigned char*>(ab.data()) + half;
  task.a_stride = task.b_stride = 2 * columns;
  task.y = y.data();
  task.dy = dy.data();
  task.dy_stride = columns;
  task.da = d_ab.data();
  task.db = static_cast<unsigned char*>(d_ab.data()) + half;
  task.rows = rows;
  task.columns = columns;
  emulate_kernel<GateForward<kType>>(blocks, 0, task, seed);
  emulate_kernel<GateBackward<kType>>(blocks, 0, task, seed);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t c = 0; c < columns; ++c) {
      const std::int64_t at = row * 2 * columns + c;
      const double a = ab[at], b = ab[at + columns], g = dy[row * columns + c];
      const double s = 1 / (1 + std::exp(-a));
      expect_near(y, row * columns + c, a * s * b, "y");
      expect_near(d_ab, at, g * b * s * (1 + a * (1 - s)), "da");
      expect_near(d_ab, at + columns, g * a * s, "db");
    }
  }
}

TEST(FusedKernels, Gate) {
  check_gate<Element::kFp32>(7, 100, 2, 1);
  check_gate<Element::kBf16>(3, 300, 1, 2);
  check_gate<Element::kFp16>(1, 1, 3, 3);
}

template <Element kType>
void check_adamw(std::int64_t count, int blocks, bool copied, std::uint32_t seed) {
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  Buffer p(Element::kFp32, count, random), g(kType, count, random);
  Buffer m(Element::kFp32, count, random), v(Element::kFp32, count), copy(kType, count);
  for (std::int64_t i = 0; i < count; ++i) v.set(i, static_cast<float>(i % 7));
  Buffer first_p = p, first_m = m, first_v = v;
  Buffer updates(Element::kFp32, 1);
  updates.set(0, 2);
  AdamWTask task;
  task.p = p.floats();
  task.g = g.data();
  task.m = m.floats();
  task.v = v.floats();
  task.copy = copied ? copy.data() : nullptr;
  task.updates = updates.floats();
  task.count = count;
  task.lr = 0.01;
  task.beta1 = 0.9;
  task.beta2 = 0.999;
  task.eps = 1e-8;
  task.weight_decay = 0.1;
  emulate_kernel<AdamWUpdate<kType>>(blocks, AdamWUpdate<kType>::kSharedBytes, task, seed);
  for (std::int64_t i = 0; i < count; ++i) {
    const double new_m = 0.9 * first_m[i] + 0.1 * g[i];
    const double new_v = 0.999 * first_v[i] + 0.001 * g[i] * g[i];
    const double divisor = std::sqrt(new_v / (1 - 0.999 * 0.999)) + 1e-8;
    const double wanted = first_p[i] * (1 - 0.01 * 0.1) - 0.01 * new_m / (1 - 0.81) / divisor;
    expect_near(m, i, new_m, "m");
    expect_near(v, i, new_v, "v");
    expect_near(p, i, wanted, "p");
    if (copied) expect_near(copy, i, wanted, "copy");
  }
}

TEST(FusedKernels, AdamW) {
  check_adamw<Element::kBf16>(1000, 2, true, 1);
  check_adamw<Element::kFp32>(300, 1, false, 2);
  check_adamw<Element::kFp16>(3, 2, true, 3);
}

}  // namespace
}  // namespace sweepd::gpu
