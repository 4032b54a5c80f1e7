// Rotary embeddings.
#pragma once

#include "workloads/cuda/fused/fused.cuh"

namespace sweepd::gpu {

template <Element kType>
struct Rotate : FusedKernel {
  static constexpr int kWidth = kType == Element::kFp32 ? 4 : 8;
  static constexpr int kResident = 4;
  static constexpr int kHeads = 4;  // that a thread rotates by the same angles
  using Row = Vector<kType, kWidth>;
  using Angles = Vector<Element::kFp32, 4>;

  SWEEPD_DEVICE void run(const RotaryTask& t) {
    const bool vectors = t.n % kWidth == 0 && t.outer_stride % kWidth == 0 &&
                         t.inner_stride % kWidth == 0 && t.middle_stride % kWidth == 0 &&
                         Row::aligned(t.x) && Row::aligned(t.y) && Angles::aligned(t.cosines) &&
                         Angles::aligned(t.sines) &&
                         t.outer * t.inner * t.middle * (t.n / kWidth) <= kMostVectors;
    if (vectors) {
      by_vector(t);
    } else {
      by_pair(t);
    }
  }

 private:
  // Neighbouring threads take a position's columns, then the next position. The table's rows are
  // the positions, and the other of the two middle dimensions is the heads.
  SWEEPD_DEVICE static void by_vector(const RotaryTask& t) {
    const auto inner = static_cast<unsigned>(t.inner), middle = static_cast<unsigned>(t.middle);
    const unsigned positions = t.inverse ? middle : inner, heads = t.inverse ? inner : middle;
    const unsigned vectors = static_cast<unsigned>(t.n / kWidth);
    const unsigned groups = (heads + kHeads - 1) / kHeads;
    const unsigned count = static_cast<unsigned>(t.outer) * groups * positions * vectors;
    const std::int64_t position_stride = t.inverse ? t.middle_stride : t.inner_stride;
    const std::int64_t head_stride = t.inverse ? t.inner_stride : t.middle_stride;
    const unsigned step = static_cast<unsigned>(grid_x() * kThreads);
    for (auto i = static_cast<unsigned>(block_x() * kThreads + thread_index()); i < count;
         i += step) {
      const unsigned row = i / vectors, column = (i - row * vectors) * kWidth;
      const unsigned rest = row / positions, position = row - rest * positions;
      const unsigned outer = rest / groups, first = (rest - outer * groups) * kHeads;
      const std::int64_t from = outer * t.outer_stride + position * position_stride + column;
      Row x[kHeads];
      SWEEPD_UNROLL
      for (unsigned k = 0; k < kHeads; ++k) {
        x[k] = Row{};
        if (first + k < heads) x[k] = *Row::place(t.x, from + (first + k) * head_stride);
      }
      float cosines[kWidth / 2], sines[kWidth / 2];
      load_angles(t, position * static_cast<unsigned>(t.n) + column, cosines, sines);
      SWEEPD_UNROLL
      for (unsigned k = 0; k < kHeads; ++k) {
        if (first + k >= heads) continue;
        const std::int64_t line =
            static_cast<std::int64_t>(outer) * positions * heads +
            (t.inverse ? static_cast<std::int64_t>(position) * heads + first + k
                       : static_cast<std::int64_t>(first + k) * positions + position);
        *Row::place(t.y, line * t.n + column) = rotated(x[k], cosines, sines);
      }
    }
  }
  SWEEPD_DEVICE static void load_angles(const RotaryTask& t, std::int64_t at,
                                        float (&cosines)[kWidth / 2], float (&sines)[kWidth / 2]) {
    SWEEPD_UNROLL
    for (int i = 0; i < kWidth; i += 4) {
      const Angles cosine = *Angles::place(t.cosines, at + i),
                   sine = *Angles::place(t.sines, at + i);
      SWEEPD_UNROLL
      for (int k = 0; k < 2; ++k) {
        cosines[i / 2 + k] = cosine[2 * k];
        sines[i / 2 + k] = t.inverse ? -sine[2 * k + 1] : sine[2 * k + 1];
      }
    }
  }
  SWEEPD_DEVICE static Row rotated(const Row& x, const float (&cosines)[kWidth / 2],
                                   const float (&sines)[kWidth / 2]) {
    Row y;
    SWEEPD_UNROLL
    for (int i = 0; i < kWidth; i += 2) {
      const float cosine = cosines[i / 2], sine = sines[i / 2];
      y.set(i, x[i] * cosine - x[i + 1] * sine, x[i + 1] * cosine + x[i] * sine);
    }
    return y;
  }

  SWEEPD_DEVICE static void by_pair(const RotaryTask& t) {
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

}  // namespace sweepd::gpu
