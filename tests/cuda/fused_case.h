// Memory and launches of the fused operations' kernels on the emulator.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tests/cuda/emulator.h"
#include "workloads/cuda/fused/vector.cuh"

namespace sweepd::gpu {

// Elements of a type in memory, random unless they are results. They begin at a multiple of 16
// bytes, but those of the buffer made `until_shifted` buffers from now begin one element behind it.
class Buffer {
 public:
  inline static int until_shifted = -1;

  Buffer(Element type, std::int64_t count)
      : type_(type),
        begin_(until_shifted-- == 0 ? static_cast<std::size_t>(bytes_of(type)) : 0),
        bytes_(begin_ + static_cast<std::size_t>(count * bytes_of(type)) + kGuard, 0xab) {}
  Buffer(Element type, std::int64_t count, std::mt19937& random, float mean = 0)
      : Buffer(type, count) {
    std::normal_distribution<float> draw(mean, 1);
    for (std::int64_t i = 0; i < count; ++i) set(i, draw(random));
  }
  ~Buffer() {
    for (std::size_t i = 1; i <= kGuard; ++i) EXPECT_EQ(bytes_[bytes_.size() - i], 0xab);
  }
  Buffer(const Buffer&) = default;
  Buffer& operator=(const Buffer&) = delete;
  void* data() { return bytes_.data() + begin_; }
  float* floats() { return static_cast<float*>(data()); }
  void set(std::int64_t at, float value) {
    if (type_ == Element::kFp32) {
      floats()[at] = value;
    } else {
      static_cast<std::uint16_t*>(data())[at] = to_bits(type_, value);
    }
  }
  double operator[](std::int64_t at) {
    if (type_ == Element::kFp32) return floats()[at];
    return from_bits(type_, static_cast<std::uint16_t*>(data())[at]);
  }
  // Allowed error of a result of that size.
  double allowed(double wanted) const {
    const double unit = type_ == Element::kFp32 ? 1e-5 : type_ == Element::kFp16 ? 0x1p-10 : 0x1p-7;
    return unit * (1 + std::abs(wanted));
  }

 private:
  static constexpr std::size_t kGuard = 16;
  Element type_;
  std::size_t begin_;
  std::vector<unsigned char> bytes_;
};

inline void expect_near(Buffer& got, std::int64_t at, double wanted, const char* what) {
  EXPECT_NEAR(got[at], wanted, got.allowed(wanted)) << what << " " << at;
}

// Returns whether the kernel used vectors.
template <class Kernel, class Task>
bool emulate_kernel(int blocks, int shared_bytes, const Task& task, std::uint32_t seed) {
  const std::int64_t before = vector_accesses();
  emulate({blocks, 1, 1, Kernel::kThreads, shared_bytes, seed}, [&] {
    Kernel kernel;
    kernel.run(task);
  });
  return vector_accesses() != before;
}

}  // namespace sweepd::gpu
