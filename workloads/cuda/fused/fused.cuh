// What the fused operations' kernels have in common. Each kernel is bound by memory, so each
// element is read and written once, 16 bytes at a time where pointers, strides and columns allow
// it, neighbours by neighbouring threads; sums and functions are in fp32. Blocks take rows or
// vectors in turns until all are done, so that any grid is right.
#pragma once

#include "workloads/cuda/fused/tasks.h"
#include "workloads/cuda/fused/vector.cuh"

namespace sweepd::gpu {

template <Element kType>
SWEEPD_DEVICE float load(const void* from, std::int64_t at) {
  return value_of<kType>(static_cast<const Stored<kType>*>(from)[at]);
}

template <Element kType>
SWEEPD_DEVICE void store(void* to, std::int64_t at, float value) {
  if constexpr (kType == Element::kFp32) {
    static_cast<float*>(to)[at] = value;
  } else {
    static_cast<std::uint16_t*>(to)[at] = static_cast<std::uint16_t>(pack<kType>(value, 0));
  }
}

#ifdef __CUDACC__
SWEEPD_DEVICE float reciprocal_of(float x) {  // 1 ulp, one instruction; infinity gives 0
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
#else
inline float reciprocal_of(float x) {
  return 1 / x;
}
#endif

SWEEPD_DEVICE float sigmoid(float x) {
  return reciprocal_of(1 + exp2_of(-kLog2E * x));
}

// A block of 256 threads; an SM holds at least kResident blocks.
struct FusedKernel {
  static constexpr int kThreads = 256, kWarps = kThreads / 32, kResident = 1;
  static constexpr std::int64_t kMostVectors = 0x3fffffff;  // for indices of 32 bits

  // Every thread's sum of `value` over its team: 1 << `shift` adjacent threads, a warp or more. All
  // threads of the block call it. Uses shared_floats()[0 .. kWarps).
  SWEEPD_DEVICE static float sum_of_team(float value, int shift) {
    for (int mask = 16; mask > 0; mask /= 2) value += shuffle_xor(value, mask);
    if (thread_index() % 32 == 0) shared_floats()[thread_index() / 32] = value;
    sync_block();
    const int warps = 1 << (shift - 5), first = thread_index() / 32 & ~(warps - 1);
    float sum = 0;
    for (int warp = first; warp < first + warps; ++warp) sum += shared_floats()[warp];
    sync_block();  // before the next sum overwrites it
    return sum;
  }
  SWEEPD_DEVICE static float sum_of_block(float value) { return sum_of_team(value, 8); }

  // Calls body(i) for this thread's part of the numbers below `count`.
  template <class Body>
  SWEEPD_DEVICE static void each_of(std::int64_t count, const Body& body) {
    const std::int64_t stride = static_cast<std::int64_t>(grid_x()) * kThreads;
    for (std::int64_t i = static_cast<std::int64_t>(block_x()) * kThreads + thread_index();
         i < count; i += stride) {
      body(i);
    }
  }

  // Calls finish(load(i)) for the numbers i from `first` below `count`, `stride` apart; two are
  // loaded before the first is finished.
  template <class Load, class Finish>
  SWEEPD_DEVICE static void two_by_two(unsigned first, unsigned stride, unsigned count,
                                       const Load& load, const Finish& finish) {
    for (unsigned i = first; i < count; i += 2 * stride) {
      const bool more = i + stride < count;
      const auto one = load(i), other = load(more ? i + stride : i);
      finish(one);
      if (more) finish(other);
    }
  }
  template <class Load, class Finish>
  SWEEPD_DEVICE static void two_by_two(unsigned count, const Load& load, const Finish& finish) {
    two_by_two(static_cast<unsigned>(block_x() * kThreads + thread_index()),
               static_cast<unsigned>(grid_x() * kThreads), count, load, finish);
  }
};

}  // namespace sweepd::gpu
