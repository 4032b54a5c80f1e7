// SwiGLU's gate.
#pragma once

#include "workloads/cuda/fused/fused.cuh"

namespace sweepd::gpu {

template <Element kType>
struct GateKernel : FusedKernel {
  static constexpr int kWidth = kType == Element::kFp32 ? 4 : 8;
  using Row = Vector<kType, kWidth>;

  struct Gradients {
    float da, db;
  };
  SWEEPD_DEVICE static float gated(float a, float b) { return a * sigmoid(a) * b; }
  SWEEPD_DEVICE static Gradients gradients(float dy, float a, float b) {
    const float s = sigmoid(a);
    return {dy * b * s * (1 + a * (1 - s)), dy * a * s};
  }

  // Null pointers and strides of zero, of the other direction, are aligned.
  SWEEPD_DEVICE static bool in_vectors(const GateTask& t) {
    return t.columns % kWidth == 0 && t.a_stride % kWidth == 0 && t.b_stride % kWidth == 0 &&
           t.dy_stride % kWidth == 0 && Row::aligned(t.a) && Row::aligned(t.b) &&
           Row::aligned(t.y) && Row::aligned(t.dy) && Row::aligned(t.da) && Row::aligned(t.db) &&
           t.rows * (t.columns / kWidth) <= kMostVectors;
  }
  SWEEPD_DEVICE static unsigned vectors_of(const GateTask& t) {
    return static_cast<unsigned>(t.columns / kWidth);
  }
  // Vector i of the rows.
  struct Place {
    std::int64_t row;
    unsigned column;
    SWEEPD_DEVICE Place(unsigned i, unsigned vectors)
        : row(i / vectors), column((i - i / vectors * vectors) * kWidth) {}
  };
};

template <Element kType>
struct GateForward : GateKernel<kType> {
  using Base = GateKernel<kType>;
  using typename Base::Place, typename Base::Row;

  SWEEPD_DEVICE void run(const GateTask& t) {
    if (!Base::in_vectors(t)) return by_element(t);
    struct Loaded {
      unsigned i;
      Row a, b;
    };
    const unsigned vectors = Base::vectors_of(t);
    Base::two_by_two(
        static_cast<unsigned>(t.rows) * vectors,
        [&](unsigned i) {
          const Place at(i, vectors);
          return Loaded{i, *Row::place(t.a, at.row * t.a_stride + at.column),
                        *Row::place(t.b, at.row * t.b_stride + at.column)};
        },
        [&](const Loaded& in) {
          Row y;
          SWEEPD_UNROLL
          for (int k = 0; k < Base::kWidth; k += 2) {
            y.set(k, Base::gated(in.a[k], in.b[k]), Base::gated(in.a[k + 1], in.b[k + 1]));
          }
          *Row::place(t.y, static_cast<std::int64_t>(in.i) * Base::kWidth) = y;
        });
  }

 private:
  SWEEPD_DEVICE static void by_element(const GateTask& t) {
    Base::each_of(t.rows * t.columns, [&](std::int64_t i) {
      const std::int64_t row = i / t.columns, column = i % t.columns;
      store<kType>(t.y, i,
                   Base::gated(load<kType>(t.a, row * t.a_stride + column),
                               load<kType>(t.b, row * t.b_stride + column)));
    });
  }
};

template <Element kType>
struct GateBackward : GateKernel<kType> {
  using Base = GateKernel<kType>;
  using typename Base::Gradients, typename Base::Place, typename Base::Row;

  SWEEPD_DEVICE void run(const GateTask& t) {
    if (!Base::in_vectors(t)) return by_element(t);
    struct Loaded {
      std::int64_t to;
      Row dy, a, b;
    };
    const unsigned vectors = Base::vectors_of(t);
    Base::two_by_two(
        static_cast<unsigned>(t.rows) * vectors,
        [&](unsigned i) {
          const Place at(i, vectors);
          return Loaded{at.row * 2 * t.columns + at.column,
                        *Row::place(t.dy, at.row * t.dy_stride + at.column),
                        *Row::place(t.a, at.row * t.a_stride + at.column),
                        *Row::place(t.b, at.row * t.b_stride + at.column)};
        },
        [&](const Loaded& in) {
          Row da, db;
          SWEEPD_UNROLL
          for (int k = 0; k < Base::kWidth; k += 2) {
            const Gradients one = Base::gradients(in.dy[k], in.a[k], in.b[k]);
            const Gradients two = Base::gradients(in.dy[k + 1], in.a[k + 1], in.b[k + 1]);
            da.set(k, one.da, two.da);
            db.set(k, one.db, two.db);
          }
          *Row::place(t.da, in.to) = da;
          *Row::place(t.db, in.to) = db;
        });
  }

 private:
  SWEEPD_DEVICE static void by_element(const GateTask& t) {
    Base::each_of(t.rows * t.columns, [&](std::int64_t i) {
      const std::int64_t row = i / t.columns, column = i % t.columns;
      const Gradients found = Base::gradients(load<kType>(t.dy, row * t.dy_stride + column),
                                              load<kType>(t.a, row * t.a_stride + column),
                                              load<kType>(t.b, row * t.b_stride + column));
      const std::int64_t to = row * 2 * t.columns + column;
      store<kType>(t.da, to, found.da);
      store<kType>(t.db, to, found.db);
    });
  }
};

}  // namespace sweepd::gpu
