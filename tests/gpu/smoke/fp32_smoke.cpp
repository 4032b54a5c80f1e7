#include "tests/gpu/smoke/fp32_smoke.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/gpu/smoke/device_memory.h"
#include "workloads/cuda/flash/launch.h"

namespace sweepd::gpu {
namespace {

struct Kernels {
  const char* name;
  const char* (*forward)(const Problem&, CUstream_st*);
  const char* (*backward)(const Problem&, CUstream_st*);
  double allowed;  // of the largest value
};
constexpr Kernels kKernels[] = {{"fp32", fp32_forward, fp32_backward, 2e-5},
                                {"3xtf32", tf32_forward, tf32_backward, 2 * 2e-5}};

// One batch. Rows are `gap` floats apart; with a multiple of 4 they are copied 16 bytes at a time.
struct Shape {
  int heads, sequence, head_dim;
  bool causal;
  int gap = 0;

  std::int64_t row_stride() const { return head_dim + gap; }
  std::size_t rows() const { return static_cast<std::size_t>(heads * sequence); }
  std::size_t floats() const { return rows() * static_cast<std::size_t>(row_stride()); }
};

using Values = std::vector<double>;  // [h, S, d]

class FloatAttention {
 public:
  explicit FloatAttention(const Shape& shape) : shape_(shape) {
    std::mt19937 random(1);
    std::normal_distribution<float> draw;
    for (const char* name : {"q", "k", "v", "d_o", "o", "dq", "dk", "dv"}) {
      std::vector<float> values(shape.floats());
      for (float& value : values) value = draw(random);
      buffers_.try_emplace(name, 4 * shape.floats()).first->second.write(values.data());
    }
    const auto lines = static_cast<std::size_t>(shape.heads * padded_rows(shape.sequence));
    buffers_.try_emplace("lse", 4 * shape.rows());
    buffers_.try_emplace("lines", 2 * 4 * lines);
    problem_.batch = 1;
    problem_.heads = shape.heads;
    problem_.sequence = shape.sequence;
    problem_.head_dim = shape.head_dim;
    problem_.scale = 1 / std::sqrt(static_cast<float>(shape.head_dim));
    problem_.causal = shape.causal;
    const auto matrix = [&](const char* name) {
      const std::int64_t head = shape.sequence * shape.row_stride();
      return Matrix{buffers_.at(name).data(), head * shape.heads, head, shape.row_stride()};
    };
    problem_.q = matrix("q"), problem_.k = matrix("k"), problem_.v = matrix("v");
    problem_.o = matrix("o"), problem_.d_o = matrix("d_o"), problem_.dq = matrix("dq");
    problem_.dk = matrix("dk"), problem_.dv = matrix("dv");
    problem_.lse = buffers_.at("lse").floats();
    problem_.lse_log2 = buffers_.at("lines").floats();
    problem_.delta = problem_.lse_log2 + lines;
  }

  void forward(const Kernels& kernels) { check(kernels.forward(problem_, nullptr), "forward"); }
  void backward(const Kernels& kernels) { check(kernels.backward(problem_, nullptr), "backward"); }

  Values values(const char* name) const {
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    std::vector<float> stored(shape_.floats());
    buffers_.at(name).read(stored.data());
    Values values;
    for (std::size_t row = 0; row < shape_.rows(); ++row) {
      const auto* begin = stored.data() + row * static_cast<std::size_t>(shape_.row_stride());
      values.insert(values.end(), begin, begin + shape_.head_dim);
    }
    return values;
  }
  double scale() const { return problem_.scale; }

 private:
  Shape shape_;
  std::map<std::string, DeviceBuffer> buffers_;
  Problem problem_;
};

// Attention and its gradients by their formulas, in double precision.
struct Expected {
  Values o, dq, dk, dv;

  Expected(const FloatAttention& attention, const Shape& shape)
      : q_(attention.values("q")),
        k_(attention.values("k")),
        v_(attention.values("v")),
        d_o_(attention.values("d_o")),
        width_(static_cast<std::size_t>(shape.head_dim)) {
    for (Values* values : {&o, &dq, &dk, &dv}) values->assign(q_.size(), 0);
    const auto length = static_cast<std::size_t>(shape.sequence);
    for (std::size_t row = 0; row < shape.rows(); ++row) {
      const std::size_t first = row / length * length;
      add(row, first, shape.causal ? row + 1 : first + length, attention.scale());
    }
  }

 private:
  double dot(const Values& a, std::size_t i, const Values& b, std::size_t j) const {
    double sum = 0;
    for (std::size_t c = 0; c < width_; ++c) sum += a[i * width_ + c] * b[j * width_ + c];
    return sum;
  }

  // A row of q, which sees keys `first` to end - 1.
  void add(std::size_t row, std::size_t first, std::size_t end, double scale) {
    Values p, dp;
    double sum = 0, delta = 0;
    for (std::size_t key = first; key < end; ++key) {
      p.push_back(std::exp(dot(q_, row, k_, key) * scale));
      dp.push_back(dot(d_o_, row, v_, key));
      sum += p.back();
    }
    for (std::size_t j = 0; j < p.size(); ++j) {
      p[j] /= sum;
      delta += p[j] * dp[j];
    }
    for (std::size_t j = 0; j < p.size(); ++j) {
      const double ds = p[j] * (dp[j] - delta) * scale;
      for (std::size_t c = 0; c < width_; ++c) {
        const std::size_t mine = row * width_ + c, its = (first + j) * width_ + c;
        o[mine] += p[j] * v_[its];
        dq[mine] += ds * k_[its];
        dk[its] += ds * q_[mine];
        dv[its] += p[j] * d_o_[mine];
      }
    }
  }

  Values q_, k_, v_, d_o_;
  std::size_t width_;
};

// The largest difference as a share of the largest value; infinite if a result is not finite.
double error_of(const Values& got, const Values& expected) {
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!std::isfinite(got[i])) return INFINITY;
    largest = std::max(largest, std::abs(expected[i]));
    difference = std::max(difference, std::abs(got[i] - expected[i]));
  }
  return difference / largest;
}

bool compare(const Kernels& kernels, const Shape& shape, const Expected& expected) {
  FloatAttention attention(shape);
  attention.forward(kernels);
  attention.backward(kernels);
  const double errors[] = {
      error_of(attention.values("o"), expected.o), error_of(attention.values("dq"), expected.dq),
      error_of(attention.values("dk"), expected.dk), error_of(attention.values("dv"), expected.dv)};
  const bool agree = *std::max_element(std::begin(errors), std::end(errors)) <= kernels.allowed;
  std::printf(
      "%s %s, %d heads of %d, sequence %d, %s%s: errors o %.1e, dq %.1e, dk %.1e, dv %.1e\n",
      agree ? "[  PASSED  ]" : "[  FAILED  ]", kernels.name, shape.heads, shape.head_dim,
      shape.sequence, shape.causal ? "causal" : "full", shape.gap % 4 == 0 ? "" : ", not aligned",
      errors[0], errors[1], errors[2], errors[3]);
  return agree;
}

bool compare(const Shape& shape) {
  const Expected expected(FloatAttention(shape), shape);
  bool all = true;
  for (const Kernels& kernels : kKernels) {
    all = compare(kernels, shape, expected) && all;
  }
  return all;
}

}  // namespace

bool compare_fp32() {
  bool all = true;
  for (const int head_dim : {64, 80, 128}) {
    for (const bool causal : {false, true}) {
      all = compare({2, 300, head_dim, causal}) && all;
    }
  }
  // Blocks of several groups.
  all = compare({1, 1100, 64, true}) && all;
  all = compare({1, 1100, 128, false}) && all;
  all = compare({2, 300, 64, true, 1}) && all;
  all = compare({1, 1100, 63, true, 2}) && all;
  return all;
}

void time_fp32() {
  FloatAttention attention({1, 16384, 64, true});
  for (const Kernels& kernels : kKernels) {
    std::printf("%s, one head of 64, sequence 16384, causal: forward %.3f ms", kernels.name,
                milliseconds([&] { attention.forward(kernels); }, 10));
    std::printf(", backward %.3f ms\n", milliseconds([&] { attention.backward(kernels); }, 10));
  }
}

}  // namespace sweepd::gpu
