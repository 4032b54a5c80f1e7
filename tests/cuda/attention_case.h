// One attention problem in host memory, with random inputs, and what its results should be by plain
// loops in double precision.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/cuda/emulator.h"

namespace sweepd::gpu {

struct Shape {
  int batch = 1, heads = 1, sequence = 1, head_dim = 64;
  bool causal = false;
  float offset = 0;  // added to q and taken from k: all scores far below 0
};
std::string name_of(const Shape& shape);  // "b1_h2_s130_d64_causal"

class AttentionCase {
 public:
  AttentionCase(Element type, const Shape& shape, std::uint32_t seed);

  Problem problem;  // its pointers lead to this case's memory

  // The largest absolute difference from the reference; NaN where a result is NaN.
  double output_error() const;  // of o
  double lse_error() const;
  double dq_error() const, dk_error() const, dv_error() const;
  // Times max |expected|, what rounding to the type allows a gradient or output to be off.
  double allowed() const;
  void set(const Matrix& matrix, int batch, int head, int row, int column, float value);
  float get(const Matrix& matrix, int batch, int head, int row, int column) const;

 private:
  using Values = std::vector<double>;  // [B, h, S, d]
  Matrix allocate(bool heads_inside);
  Values random(const Matrix& matrix, std::uint32_t seed, float mean);
  double error(const Matrix& got, const Values& expected) const;
  std::size_t index(int batch, int head, int row, int column) const;
  void compute_reference();

  Element type_;
  Shape shape_;
  std::vector<std::vector<float>> storage_;  // 16-bit types use half of it
  Values q_, k_, v_, d_o_, o_, lse_, dq_, dk_, dv_;
};

}  // namespace sweepd::gpu
