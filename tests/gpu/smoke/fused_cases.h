// Problems of the fused operations on a device, with their references in double precision.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <list>
#include <random>
#include <vector>

#include "tests/gpu/smoke/device_memory.h"
#include "workloads/cuda/fused/launch.h"

namespace sweepd::gpu {

double largest_of(std::initializer_list<double> errors);  // NaN if one is

// Elements of fp32 or bf16 on the device, random with a deviation of 1 unless they are results.
class Elements {
 public:
  Elements(Element type, std::int64_t count);
  Elements(Element type, std::int64_t count, std::mt19937& random, double mean = 0);
  void write(const std::vector<double>& values);  // rounded to the type
  std::vector<double> read() const;
  // The largest error, in units of what the type's rounding allows.
  double error(const std::vector<double>& wanted) const;
  void* data() const { return buffer_.data(); }
  float* floats() const { return static_cast<float*>(buffer_.data()); }
  double bytes() const;

 private:
  Element type_;
  std::int64_t count_;
  DeviceBuffer buffer_;
};

// Each case's error() runs its kernels and returns the largest error of all results.
class NormCase {
 public:
  NormCase(Element in, Element out, std::int64_t rows, int columns);
  void forward();
  void backward();
  double error();
  double forward_bytes() const { return x_.bytes() + y_.bytes(); }
  double backward_bytes() const { return dy_.bytes() + x_.bytes() + dx_.bytes(); }

 private:
  std::mt19937 random_{1};
  Element in_, out_;
  NormTask task_;
  Elements x_, w_, y_, dy_, dx_, dw_, rstd_, parts_;
};

// x is a third of [outer, inner, 3, middle, n], as queries are; for the inverse it is dense.
class RotaryCase {
 public:
  RotaryCase(Element type, std::int64_t batch, std::int64_t sequence, std::int64_t heads, int n,
             bool inverse);
  void run();
  double error();
  double bytes() const { return 2 * y_.bytes(); }

 private:
  std::mt19937 random_{2};
  Element type_;
  RotaryTask task_;
  Elements x_, y_, cosines_, sines_;
};

class GateCase {
 public:
  GateCase(Element type, std::int64_t rows, int columns);
  void forward();
  void backward();
  double error();
  double forward_bytes() const { return 3 * y_.bytes(); }
  double backward_bytes() const { return 5 * y_.bytes(); }

 private:
  std::mt19937 random_{3};
  Element type_;
  GateTask task_;
  Elements ab_, y_, dy_, d_ab_;
};

std::vector<std::int64_t> adamw_counts();  // of 100 tensors, more than a launch takes

class AdamWCase {
 public:
  AdamWCase(Element gradient, const std::vector<std::int64_t>& counts);
  void run();
  double error();
  double bytes() const;

 private:
  struct Weights {
    Weights(Element gradient, std::int64_t count, std::mt19937& random);
    AdamWTensor tensor() const;
    std::int64_t count;
    Elements p, m, v, g, copy;
  };
  // From p, m and v before the last update.
  static double error_of(const Weights& weights, const std::vector<double>& p,
                         const std::vector<double>& m, const std::vector<double>& v);

  std::mt19937 random_{4};
  Element gradient_;
  std::list<Weights> all_;
  std::vector<AdamWTask> tasks_;
  Elements updates_;
};

}  // namespace sweepd::gpu
