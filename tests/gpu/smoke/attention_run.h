// One attention problem in bf16 with the memory of its results, for programs without LibTorch.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "tests/gpu/smoke/device_memory.h"
#include "workloads/cuda/flash/launch.h"

namespace sweepd::gpu {

struct SmokeShape {
  int heads, sequence, head_dim;
  bool causal;
  std::size_t elements() const {
    return static_cast<std::size_t>(heads) * static_cast<std::size_t>(sequence) *
           static_cast<std::size_t>(head_dim);
  }
};

using Launcher = const char* (*)(Element, const Problem&, CUstream_st*);

// One problem, with the memory of its results.
class Attention {
 public:
  explicit Attention(const SmokeShape& shape)
      : shape_(shape),
        q_(2 * shape.elements()),
        k_(2 * shape.elements()),
        v_(2 * shape.elements()),
        d_o_(2 * shape.elements()),
        o_(2 * shape.elements()),
        dq_(2 * shape.elements()),
        dk_(2 * shape.elements()),
        dv_(2 * shape.elements()),
        lse_(4 * rows(shape.sequence)),
        lines_(2 * 4 * rows(padded_rows(shape.sequence))),
        dq_sum_(4 * rows(padded_rows(shape.sequence)) *
                static_cast<std::size_t>(round_up(shape.head_dim, 64))) {
    std::mt19937 random(1);
    std::normal_distribution<float> draw;
    std::vector<std::uint16_t> values(shape.elements());
    for (DeviceBuffer* input : {&q_, &k_, &v_, &d_o_}) {
      // A drawn part, repeated: drawing 7e7 numbers takes seconds. Its length is prime.
      constexpr std::size_t kDrawn = 65537;
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = i < kDrawn ? to_bf16(draw(random)) : values[i - kDrawn];
      }
      input->write(values.data());
    }
  }

  void run(Launcher forward, Launcher backward) {
    run_forward(forward);
    run_backward(backward);
  }
  void run_forward(Launcher forward) {
    check(forward(Element::kBf16, problem(), nullptr), "forward");
  }
  void run_backward(Launcher backward) {
    const std::size_t bytes = 4 * rows(padded_rows(shape_.sequence)) *
                              static_cast<std::size_t>(round_up(shape_.head_dim, 64));
    check(cudaMemsetAsync(dq_sum_.data(), 0, bytes, nullptr), "cudaMemset");
    check(backward(Element::kBf16, problem(), nullptr), "backward");
  }
  // o, dq, dk, dv, one after the other.
  std::vector<float> results() const {
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    std::vector<float> all;
    std::vector<std::uint16_t> values(shape_.elements());
    for (const DeviceBuffer* result : {&o_, &dq_, &dk_, &dv_}) {
      result->read(values.data());
      for (const std::uint16_t value : values) all.push_back(from_bf16(value));
    }
    return all;
  }

 private:
  std::size_t rows(int sequence) const {
    return static_cast<std::size_t>(shape_.heads) * static_cast<std::size_t>(sequence);
  }
  Problem problem() const {
    Problem problem;
    problem.batch = 1;
    problem.heads = shape_.heads;
    problem.sequence = shape_.sequence;
    problem.head_dim = shape_.head_dim;
    problem.scale = 1 / std::sqrt(static_cast<float>(shape_.head_dim));
    problem.causal = shape_.causal;
    const auto matrix = [&](const DeviceBuffer& buffer) {
      const std::int64_t head = std::int64_t{shape_.sequence} * shape_.head_dim;
      return Matrix{buffer.data(), head * shape_.heads, head, shape_.head_dim};
    };
    problem.q = matrix(q_);
    problem.k = matrix(k_);
    problem.v = matrix(v_);
    problem.o = matrix(o_);
    problem.d_o = matrix(d_o_);
    problem.dq = matrix(dq_);
    problem.dk = matrix(dk_);
    problem.dv = matrix(dv_);
    problem.lse = lse_.floats();
    problem.lse_log2 = lines_.floats();
    problem.delta = lines_.floats() + rows(padded_rows(shape_.sequence));
    problem.dq_sum = dq_sum_.floats();
    return problem;
  }

  SmokeShape shape_;
  DeviceBuffer q_, k_, v_, d_o_, o_, dq_, dk_, dv_, lse_, lines_, dq_sum_;
};

}  // namespace sweepd::gpu
