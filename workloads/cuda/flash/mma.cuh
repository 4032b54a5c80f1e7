// Tensor cores as a warp uses them since sm_80: ldmatrix from shared memory, mma.sync m16n8k16.
// Elements have 16 bits, sums are fp32.
//
// Fragments, for lane l, with r = l / 4 and c = 2 (l % 4):
//   accumulator 16 x 8: {row r: c, c+1}, {row r+8: c, c+1}
//   A 16 x 16:          a0 {row r: c, c+1}, a1 {row r+8: c, c+1},
//                       a2 = a0 and a3 = a1 at columns + 8
//   B 16 x 8:           b0 {rows c, c+1: column r}, b1 at rows + 8
// So two adjacent accumulators, packed, are an A, which is how probabilities become an operand.
#pragma once

#include "workloads/cuda/flash/copies.cuh"
#include "workloads/cuda/flash/device.cuh"

namespace sweepd::gpu {

#ifdef __CUDACC__

template <Element kType>
SWEEPD_DEVICE void mma(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                       std::uint32_t b1) {
  if constexpr (kType == Element::kBf16) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
        "{%8,%9}, {%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  } else {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
        "{%8,%9}, {%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  }
}

// Loads four 8 x 8 matrices; lane l gives the address of row l % 8 of matrix l / 8.
SWEEPD_DEVICE void load_matrices(std::uint32_t (&to)[4], Shared row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(row)
               : "memory");
}
SWEEPD_DEVICE void load_matrices_transposed(std::uint32_t (&to)[4], Shared row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(row)
               : "memory");
}

#else

void emulated_mma(Element type, float* c, const std::uint32_t* a, std::uint32_t b0,
                  std::uint32_t b1);
template <Element kType>
void mma(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1) {
  emulated_mma(kType, c, a, b0, b1);
}
void load_matrices(std::uint32_t (&to)[4], Shared row);
void load_matrices_transposed(std::uint32_t (&to)[4], Shared row);

#endif

// A tile of 16-bit elements in shared memory, kColumns wide (a multiple of 16). Rows are 16 bytes
// longer than their elements, so that eight rows at one column are in different banks, for widths
// of 32, 64, 96 and 128.
template <int kColumns>
struct Tile {
  static constexpr int kRowBytes = kColumns * 2 + 16;
  Shared base;

  SWEEPD_DEVICE Shared at(int row, int column) const {
    return base + static_cast<Shared>(row * kRowBytes + column * 2);
  }

  // Loads A: rows `row` to row + 15, columns `column` to column + 15.
  SWEEPD_DEVICE void load_a(std::uint32_t (&a)[4], int row, int column) const {
    const int lane = thread_index() % 32;
    load_matrices(a, at(row + lane % 16, column + lane / 16 * 8));
  }
  // The same for the transposed tile: a's rows are the tile's columns.
  SWEEPD_DEVICE void load_a_transposed(std::uint32_t (&a)[4], int row, int column) const {
    const int lane = thread_index() % 32;
    load_matrices_transposed(a, at(column + lane / 16 * 8 + lane % 8, row + lane / 8 % 2 * 8));
  }
  // Loads two adjacent B, 16 x 16 in all, whose columns are the tile's rows from `row` on: {b0, b1}
  // of the first and of the second.
  SWEEPD_DEVICE void load_b_of_rows(std::uint32_t (&b)[4], int row, int column) const {
    const int lane = thread_index() % 32;
    load_matrices(b, at(row + lane / 16 * 8 + lane % 8, column + lane / 8 % 2 * 8));
  }
  // Loads two adjacent B whose columns are the tile's columns.
  SWEEPD_DEVICE void load_b(std::uint32_t (&b)[4], int row, int column) const {
    const int lane = thread_index() % 32;
    load_matrices_transposed(b, at(row + lane % 16, column + lane / 16 * 8));
  }
};

// Starts copying rows `first` to first + kRows - 1 of a matrix, with zeros beyond `rows` and beyond
// `columns` (a multiple of 8). All kThreads threads of the block call it.
template <int kRows, int kColumns, int kThreads>
SWEEPD_DEVICE void copy_tile(Tile<kColumns> to, const Matrix& matrix, int batch, int head,
                             int first, int rows, int columns) {
  constexpr int kChunks = kColumns / 8;
  static_assert(kRows * kChunks % kThreads == 0);
  const auto* base = row_of<const std::uint16_t>(matrix, batch, head, 0);
  SWEEPD_UNROLL
  for (int i = 0; i < kRows * kChunks / kThreads; ++i) {
    const int index = i * kThreads + thread_index();
    const int row = index / kChunks, column = index % kChunks * 8;
    const bool valid = first + row < rows && column < columns;
    // Nothing is read beyond the end, but the address stays inside.
    const auto* from = valid ? base + (first + row) * matrix.row_stride + column : base;
    copy_async(to.at(row, column), from, valid);
  }
}

}  // namespace sweepd::gpu
