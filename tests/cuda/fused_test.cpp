// Runs the kernels of fused.cu on the emulator and compares them with plain loops in double.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tests/cuda/fused_case.h"
#include "workloads/cuda/fused/gate.cuh"
#include "workloads/cuda/fused/norm.cuh"
#include "workloads/cuda/fused/rotate.cuh"

namespace sweepd::gpu {
namespace {

// Columns that a block's threads cover several times, and rows that its blocks do.
template <Element kIn, Element kOut>
void check_norm(std::int64_t rows, int columns, int blocks, bool vectors, std::uint32_t seed) {
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  Buffer x(kIn, rows * columns, random), w(kIn, columns, random, 1), y(kOut, rows * columns);
  Buffer dy(kOut, rows * columns, random), dx(kIn, rows * columns), rstd(Element::kFp32, rows);
  Buffer parts(Element::kFp32, static_cast<std::int64_t>(blocks) * columns), dw(kIn, columns);
  NormTask task;
  task.x = x.data();
  task.w = w.data();
  task.y = y.data();
  task.dy = dy.data();
  task.dx = dx.data();
  task.rstd = rstd.floats();
  task.dw = dw.data();
  task.dw_parts = parts.floats();
  task.parts = blocks;
  task.rows = rows;
  task.columns = columns;
  task.eps = 1e-5F;
  using Backward = NormBackward<kIn, kOut>;
  using Sum = NormWeightGradient<kIn>;
  const int shared = norm_backward_shared_bytes(columns);
  EXPECT_EQ((emulate_kernel<NormForward<kIn, kOut>>(blocks, 4 * FusedKernel::kWarps, task, seed)),
            vectors);
  EXPECT_EQ(emulate_kernel<Backward>(blocks, shared, task, seed), vectors);
  emulate_kernel<Sum>(2, Sum::kSharedBytes, task, seed);

  std::vector<double> wanted_dw(static_cast<std::size_t>(columns));
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
      wanted_dw[static_cast<std::size_t>(c)] += dy[begin + c] * x[begin + c] * r;
    }
  }
  for (int c = 0; c < columns; ++c) {
    double sum = 0;
    for (int block = 0; block < blocks; ++block) sum += parts[std::int64_t{block} * columns + c];
    EXPECT_NEAR(sum, wanted_dw[static_cast<std::size_t>(c)], 1e-4) << "parts of dw " << c;
    expect_near(dw, c, wanted_dw[static_cast<std::size_t>(c)], "dw");
  }
}

TEST(FusedKernels, Norm) {
  check_norm<Element::kFp32, Element::kFp32>(5, 299, 2, false, 1);
  check_norm<Element::kFp32, Element::kBf16>(3, 257, 4, false, 2);  // more blocks than rows
  check_norm<Element::kBf16, Element::kBf16>(4, 4100, 1, false, 3);
  check_norm<Element::kFp32, Element::kFp16>(2, 1, 2, false, 4);
  check_norm<Element::kFp16, Element::kFp16>(2, 513, 2, false, 5);
  check_norm<Element::kBf16, Element::kFp32>(1, 4100, 2, false, 6);  // too long for registers
}

// Teams of 32, 64, 128 and 256 threads, which have rows left over.
TEST(FusedKernels, NormOfRowsInRegisters) {
  check_norm<Element::kBf16, Element::kBf16>(19, 64, 2, true, 1);
  check_norm<Element::kFp32, Element::kFp32>(9, 772, 1, true, 2);
  check_norm<Element::kBf16, Element::kBf16>(5, 2560, 2, true, 3);
  check_norm<Element::kFp32, Element::kBf16>(3, 2560, 2, true, 4);
  check_norm<Element::kFp16, Element::kFp16>(2, 8192, 3, true, 5);
  check_norm<Element::kBf16, Element::kBf16>(95, 64, 11, true, 6);  // more parts than warps
  for (int shifted = 0; shifted < 5; ++shifted) {                   // x, w, y, dy, dx
    Buffer::until_shifted = shifted;
    check_norm<Element::kBf16, Element::kBf16>(3, 64, 2, false, 7);
  }
}

template <Element kType>
void check_rotary(std::int64_t n, bool inverse, bool vectors, std::uint32_t seed) {
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  constexpr std::int64_t kOuter = 2, kInner = 7, kMiddle = 5;
  const std::int64_t positions = inverse ? kMiddle : kInner;
  // Every other row of x belongs to another tensor.
  Buffer x(kType, kOuter * kInner * kMiddle * n * 2, random),
      y(kType, kOuter * kInner * kMiddle * n);
  Buffer cosines(Element::kFp32, positions * n), sines(Element::kFp32, positions * n);
  for (std::int64_t i = 0; i < positions * n / 2; ++i) {
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
  task.middle_stride = 2 * n;
  task.inner_stride = kMiddle * task.middle_stride;
  task.outer_stride = kInner * task.inner_stride;
  task.n = static_cast<int>(n);
  task.inverse = inverse;
  EXPECT_EQ(emulate_kernel<Rotate<kType>>(1, 0, task, seed), vectors);
  for (std::int64_t o = 0; o < kOuter; ++o) {
    for (std::int64_t m = 0; m < kMiddle; ++m) {
      for (std::int64_t i = 0; i < kInner; ++i) {
        for (std::int64_t c = 0; c < n; c += 2) {
          const std::int64_t from =
              o * task.outer_stride + i * task.inner_stride + m * task.middle_stride + c;
          const std::int64_t to = ((o * kMiddle + m) * kInner + i) * n + c;
          const std::int64_t position = inverse ? m : i;
          const double angle = static_cast<double>((position * n + c) / 2) * (inverse ? -1 : 1);
          const double x0 = x[from], x1 = x[from + 1];
          expect_near(y, to, x0 * std::cos(angle) - x1 * std::sin(angle), "y");
          expect_near(y, to + 1, x0 * std::sin(angle) + x1 * std::cos(angle), "y");
        }
      }
    }
  }
}

TEST(FusedKernels, Rotary) {
  check_rotary<Element::kFp32>(10, false, false, 1);
  check_rotary<Element::kFp32>(10, true, false, 2);
  check_rotary<Element::kBf16>(12, false, false, 3);
  check_rotary<Element::kFp16>(10, true, false, 4);
}

TEST(FusedKernels, RotaryInVectors) {
  check_rotary<Element::kFp32>(12, false, true, 1);
  check_rotary<Element::kFp32>(4, true, true, 2);
  check_rotary<Element::kBf16>(80, false, true, 3);
  check_rotary<Element::kFp16>(64, true, true, 4);
  for (int shifted = 0; shifted < 4; ++shifted) {  // x, y, the tables
    Buffer::until_shifted = shifted;
    check_rotary<Element::kBf16>(16, false, false, 5);
  }
}

template <Element kType>
void check_gate(std::int64_t rows, int columns, int blocks, bool vectors, std::uint32_t seed) {
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
  EXPECT_EQ(emulate_kernel<GateForward<kType>>(blocks, 0, task, seed), vectors);
  EXPECT_EQ(emulate_kernel<GateBackward<kType>>(blocks, 0, task, seed), vectors);
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
  check_gate<Element::kFp32>(7, 99, 2, false, 1);
  check_gate<Element::kBf16>(3, 300, 1, false, 2);
  check_gate<Element::kFp16>(1, 1, 3, false, 3);
}

TEST(FusedKernels, GateInVectors) {
  check_gate<Element::kFp32>(23, 100, 1, true, 1);  // an odd number of turns
  check_gate<Element::kBf16>(3, 2560, 2, true, 2);
  check_gate<Element::kFp16>(1, 8, 3, true, 3);
  for (int shifted = 0; shifted < 4; ++shifted) {  // a and b, y, dy, their gradients
    Buffer::until_shifted = shifted;
    check_gate<Element::kFp16>(2, 16, 1, false, 4);
  }
}

}  // namespace
}  // namespace sweepd::gpu
