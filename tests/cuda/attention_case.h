// Makes one attention problem in host memory with random inputs, and computes its expected results
// with plain loops in double precision.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/cuda/emulator.h"

namespace sweepd::gpu {

struct Shape {
  int batch = 1, heads = 1, sequence = 1, head_dim = 64;
  bool causal = false;
  float offset = 0;  // added to q and subtracted from k, so that all scores are far below 0
  int shift = 0;     // floats by which matrices begin after a 16-byte boundary
};
std::string name_of(const Shape& shape);  // "b1_h2_s130_d64_causal"

class AttentionCase {
 public:
  AttentionCase(Element type, const Shape& shape, std::uint32_t seed);
  // Expects every result within its allowed error.
  void expect_right(double allowed_of_lse = 1e-4) const;

  Problem problem;  // its pointers point into this case's memory

  // Largest absolute difference from the reference; NaN if a result is NaN.
  double output_error() const;  // of o
  double lse_error() const;
  double dq_error() const, dk_error() const, dv_error() const;
  // Allowed error, relative to max |expected|, from rounding a gradient or output to the type.
  double allowed() const;
  // The same of dq and dk: in fp32, k and q multiply the errors of ds.
  double allowed_of_ds() const;
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
