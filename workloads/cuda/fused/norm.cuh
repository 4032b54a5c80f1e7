// RMSNorm. A row that fits into the registers of a team of threads is read once.
#pragma once

#include "workloads/cuda/fused/fused.cuh"

namespace sweepd::gpu {

// A block is one or more teams of 1 << shift threads. A team takes a row: vector k of a thread has
// the columns from (k * team + lane) * kWidth on.
template <Element kIn, Element kOut>
struct NormKernel : FusedKernel {
  static constexpr int kWidth = kIn == Element::kFp32 || kOut == Element::kFp32 ? 4 : 8;
  static constexpr int kVectors = 4;  // of a row, for a thread
  using In = Vector<kIn, kWidth>;
  using Out = Vector<kOut, kWidth>;

  static constexpr int team_shift(int columns) {
    int shift = 5;
    while (shift < 8 && (kWidth * kVectors << shift) < columns) ++shift;
    return shift;
  }
  SWEEPD_DEVICE static bool in_registers(const NormTask& t) {
    return t.columns % kWidth == 0 && t.columns <= kWidth * kVectors * kThreads &&
           In::aligned(t.x) && In::aligned(t.w) && In::aligned(t.dx) && Out::aligned(t.y) &&
           Out::aligned(t.dy);
  }

  int shift, lane;
  SWEEPD_DEVICE void form_teams(int columns) {
    shift = team_shift(columns);
    lane = thread_index() & ((1 << shift) - 1);
  }
  SWEEPD_DEVICE int column_of(int k) const { return ((k << shift) + lane) * kWidth; }
  SWEEPD_DEVICE int teams() const { return kThreads >> shift; }
  SWEEPD_DEVICE int team() const { return thread_index() >> shift; }
  // A thread's vectors of base[begin ..]; those beyond `columns` are zero.
  template <class V>
  SWEEPD_DEVICE void load_row(V (&row)[kVectors], const void* base, std::int64_t begin,
                              int columns) const {
    SWEEPD_UNROLL
    for (int k = 0; k < kVectors; ++k) {
      row[k] = V{};
      if (column_of(k) < columns) row[k] = *V::place(base, begin + column_of(k));
    }
  }
};

template <Element kIn, Element kOut>
struct NormForward : NormKernel<kIn, kOut> {
  using Base = NormKernel<kIn, kOut>;
  using Base::column_of, Base::kThreads, Base::kVectors, Base::kWidth;
  using typename Base::In, typename Base::Out;
  static constexpr int kResident = 4;

  SWEEPD_DEVICE void run(const NormTask& t) {
    if (Base::in_registers(t)) {
      by_team(t);
    } else {
      by_block(t);
    }
  }

 private:
  SWEEPD_DEVICE void by_team(const NormTask& t) {
    Base::form_teams(t.columns);
    In x[kVectors], w[kVectors];
    const std::int64_t step = static_cast<std::int64_t>(grid_x()) * Base::teams();
    for (std::int64_t first = static_cast<std::int64_t>(block_x()) * Base::teams(); first < t.rows;
         first += step) {
      const std::int64_t row = first + Base::team();
      const int columns = row < t.rows ? t.columns : 0;
      Base::load_row(x, t.x, row * t.columns, columns);
      float squares = 0;
      SWEEPD_UNROLL
      for (int i = 0; i < kVectors * kWidth; ++i) {
        const float value = x[i / kWidth][i % kWidth];
        squares += value * value;
      }
      const float mean = Base::sum_of_team(squares, Base::shift) / static_cast<float>(t.columns);
      const float rstd = 1 / sqrtf(mean + t.eps);
      if (Base::lane == 0 && columns != 0) t.rstd[row] = rstd;
      Base::load_row(w, t.w, 0, columns);  // not earlier, or registers spill
      SWEEPD_UNROLL
      for (int k = 0; k < kVectors; ++k) {
        if (column_of(k) >= columns) continue;
        Out y;
        SWEEPD_UNROLL
        for (int i = 0; i < kWidth; i += 2) {
          y.set(i, x[k][i] * rstd * w[k][i], x[k][i + 1] * rstd * w[k][i + 1]);
        }
        *Out::place(t.y, row * t.columns + column_of(k)) = y;
      }
    }
  }

  SWEEPD_DEVICE void by_block(const NormTask& t) {
    for (std::int64_t row = block_x(); row < t.rows; row += grid_x()) {
      const std::int64_t begin = row * t.columns;
      float squares = 0;
      for (int column = thread_index(); column < t.columns; column += kThreads) {
        const float x = load<kIn>(t.x, begin + column);
        squares += x * x;
      }
      const float mean = Base::sum_of_block(squares) / static_cast<float>(t.columns);
      const float rstd = 1 / sqrtf(mean + t.eps);
      if (thread_index() == 0) t.rstd[row] = rstd;
      for (int column = thread_index(); column < t.columns; column += kThreads) {
        const float x = load<kIn>(t.x, begin + column);
        store<kOut>(t.y, begin + column, x * rstd * load<kIn>(t.w, column));
      }
    }
  }
};

// Shared memory: the warps' sums, then a block's part of dw. A column of a row belongs to one
// thread of each team.
template <Element kIn, Element kOut>
struct NormBackward : NormKernel<kIn, kOut> {
  using Base = NormKernel<kIn, kOut>;
  using Base::column_of, Base::kThreads, Base::kVectors, Base::kWidth;
  using typename Base::In, typename Base::Out;
  static constexpr int kResident = 2;

  SWEEPD_DEVICE void run(const NormTask& t) {
    float* dw = shared_floats() + Base::kWarps;
    for (int column = thread_index(); column < t.columns; column += kThreads) dw[column] = 0;
    if (Base::in_registers(t)) {
      by_team(t, dw);
    } else {
      by_block(t, dw);
    }
    for (int column = thread_index(); column < t.columns; column += kThreads) {
      t.dw_parts[static_cast<std::int64_t>(block_x()) * t.columns + column] = dw[column];
    }
  }

 private:
  SWEEPD_DEVICE void by_team(const NormTask& t, float* dw) {
    Base::form_teams(t.columns);
    In x[kVectors], w[kVectors];
    Out dy[kVectors];
    float sums[kVectors][kWidth] = {};
    const std::int64_t step = static_cast<std::int64_t>(grid_x()) * Base::teams();
    for (std::int64_t first = static_cast<std::int64_t>(block_x()) * Base::teams(); first < t.rows;
         first += step) {
      const std::int64_t row = first + Base::team();
      const int columns = row < t.rows ? t.columns : 0;
      const float rstd = columns != 0 ? t.rstd[row] : 0;
      Base::load_row(x, t.x, row * t.columns, columns);
      Base::load_row(dy, t.dy, row * t.columns, columns);
      Base::load_row(w, t.w, 0, columns);
      float products = 0;
      SWEEPD_UNROLL
      for (int i = 0; i < kVectors * kWidth; ++i) {
        const int k = i / kWidth, at = i % kWidth;
        products += dy[k][at] * w[k][at] * x[k][at];
        sums[k][at] += dy[k][at] * x[k][at] * rstd;
      }
      const float mean =
          Base::sum_of_team(products, Base::shift) * rstd * rstd / static_cast<float>(t.columns);
      Base::load_row(w, t.w, 0, columns);  // again, or registers spill
      SWEEPD_UNROLL
      for (int k = 0; k < kVectors; ++k) {
        if (column_of(k) >= columns) continue;
        In dx;
        SWEEPD_UNROLL
        for (int i = 0; i < kWidth; i += 2) {
          dx.set(i, (dy[k][i] * w[k][i] - x[k][i] * mean) * rstd,
                 (dy[k][i + 1] * w[k][i + 1] - x[k][i + 1] * mean) * rstd);
        }
        *In::place(t.dx, row * t.columns + column_of(k)) = dx;
      }
    }
    for (int turn = 0; turn < Base::teams(); ++turn) {  // in a fixed order
      sync_block();
      if (turn == Base::team()) add_to(dw, sums, t.columns);
    }
    sync_block();
  }
  SWEEPD_DEVICE void add_to(float* dw, const float (&sums)[kVectors][kWidth], int columns) const {
    SWEEPD_UNROLL
    for (int k = 0; k < kVectors; ++k) {
      if (column_of(k) >= columns) continue;
      SWEEPD_UNROLL
      for (int i = 0; i < kWidth; ++i) dw[column_of(k) + i] += sums[k][i];
    }
  }

  SWEEPD_DEVICE void by_block(const NormTask& t, float* dw) {
    for (std::int64_t row = block_x(); row < t.rows; row += grid_x()) {
      const std::int64_t begin = row * t.columns;
      const float rstd = t.rstd[row];
      float products = 0;
      for (int column = thread_index(); column < t.columns; column += kThreads) {
        products += load<kOut>(t.dy, begin + column) * load<kIn>(t.w, column) *
                    load<kIn>(t.x, begin + column);
      }
      const float mean = Base::sum_of_block(products) * rstd * rstd / static_cast<float>(t.columns);
      for (int column = thread_index(); column < t.columns; column += kThreads) {
        const float dy = load<kOut>(t.dy, begin + column), x = load<kIn>(t.x, begin + column);
        store<kIn>(t.dx, begin + column, (dy * load<kIn>(t.w, column) - x * mean) * rstd);
        dw[column] += dy * x * rstd;
      }
    }
  }
};
constexpr int norm_backward_shared_bytes(int columns) {
  return 4 * (FusedKernel::kWarps + columns);
}

// dw from the parts, in a fixed order. A block takes 32 columns, a warp every eighth part.
template <Element kType>
struct NormWeightGradient : FusedKernel {
  static constexpr int kColumns = 32, kSharedBytes = 4 * kThreads;

  SWEEPD_DEVICE void run(const NormTask& t) {
    const int warp = thread_index() / 32;
    for (int first = block_x() * kColumns; first < t.columns; first += grid_x() * kColumns) {
      const int column = first + thread_index() % 32;
      float sum = 0;
      if (column < t.columns) {
        const float* from = t.dw_parts + column;
        SWEEPD_UNROLL_8
        for (int part = warp; part < t.parts; part += kWarps) {
          sum += from[static_cast<std::int64_t>(part) * t.columns];
        }
      }
      shared_floats()[thread_index()] = sum;
      sync_block();
      if (warp == 0 && column < t.columns) {
        for (int i = 1; i < kWarps; ++i) sum += shared_floats()[i * 32 + thread_index()];
        store<kType>(t.dw, column, sum);
      }
      sync_block();
    }
  }
};

}  // namespace sweepd::gpu
