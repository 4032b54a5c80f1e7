// The instructions that all kernels here use. nvcc compiles them to PTX; any other compiler only
// declares them, and tests/cuda/emulator.cpp defines them as the PTX manual describes them, so that
// a kernel's own source runs on a CPU against a plain reference.
//
// Shared memory is addressed by 32-bit shared-space addresses.
#pragma once

#include <cmath>
#include <cstdint>

#include "workloads/cuda/flash/problem.h"

#ifdef __CUDACC__
#define SWEEPD_DEVICE __device__ __forceinline__
#define SWEEPD_UNROLL _Pragma("unroll")
#define SWEEPD_UNROLL_TWICE _Pragma("unroll 2")
#define SWEEPD_UNROLL_BY_8 _Pragma("unroll 8")
#define SWEEPD_NO_UNROLL _Pragma("unroll 1")
#else
#define SWEEPD_DEVICE inline
#define SWEEPD_UNROLL
#define SWEEPD_UNROLL_TWICE
#define SWEEPD_UNROLL_BY_8
#define SWEEPD_NO_UNROLL
#endif

namespace sweepd::gpu {

using Shared = std::uint32_t;  // an address

inline constexpr float kLog2E = 1.4426950408889634F;
inline constexpr float kLn2 = 0.6931471805599453F;

#ifdef __CUDACC__

SWEEPD_DEVICE int thread_index() {
  return static_cast<int>(threadIdx.x);
}
SWEEPD_DEVICE int block_threads() {
  return static_cast<int>(blockDim.x);
}
SWEEPD_DEVICE int block_x() {
  return static_cast<int>(blockIdx.x);
}
SWEEPD_DEVICE int block_y() {
  return static_cast<int>(blockIdx.y);
}
SWEEPD_DEVICE int block_z() {
  return static_cast<int>(blockIdx.z);
}
SWEEPD_DEVICE int grid_x() {
  return static_cast<int>(gridDim.x);
}

// The block's dynamic shared memory; 1024-byte aligned, as swizzled tiles require. Correct only if
// the kernel has no static shared memory.
extern __shared__ __align__(1024) unsigned char sweepd_shared[];
SWEEPD_DEVICE Shared shared_base() {
  return static_cast<Shared>(__cvta_generic_to_shared(sweepd_shared));
}
SWEEPD_DEVICE float* shared_floats() {
  return reinterpret_cast<float*>(sweepd_shared);
}

SWEEPD_DEVICE void sync_block() {
  __syncthreads();
}
// A named barrier among `threads` threads of the block; 0 is sync_block's.
SWEEPD_DEVICE void sync_threads(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
SWEEPD_DEVICE void sync_warp() {
  __syncwarp();
}
SWEEPD_DEVICE float shuffle_xor(float value, int mask) {
  return __shfl_xor_sync(0xffffffffU, value, mask);
}
// Tells the compiler that the value is the same in every lane, so that it uses a uniform register.
SWEEPD_DEVICE int uniform(int value) {
  return __shfl_sync(0xffffffffU, value, 0);
}

SWEEPD_DEVICE float exp2_of(float x) {  // -infinity gives 0
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
SWEEPD_DEVICE float log2_of(float x) {
  float y;
  asm("lg2.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// Packs two values, rounded to nearest; `low` goes to the low half.
template <Element kType>
SWEEPD_DEVICE std::uint32_t pack(float low, float high) {
  std::uint32_t both;
  if constexpr (kType == Element::kBf16) {
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  } else {
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  }
  return both;
}

template <Element kType>
SWEEPD_DEVICE float widen(std::uint16_t bits) {
  float value;
  if constexpr (kType == Element::kBf16) {
    value = __uint_as_float(static_cast<std::uint32_t>(bits) << 16);
  } else {
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  }
  return value;
}

SWEEPD_DEVICE void store_shared(Shared to, std::uint32_t value) {
  asm volatile("st.shared.b32 [%0], %1;" ::"r"(to), "r"(value) : "memory");
}
SWEEPD_DEVICE void store_shared(Shared to, float value) {
  asm volatile("st.shared.f32 [%0], %1;" ::"r"(to), "f"(value) : "memory");
}
SWEEPD_DEVICE void store_shared(Shared to, float a, float b, float c, float d) {
  asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(to), "f"(a), "f"(b), "f"(c), "f"(d)
               : "memory");
}
SWEEPD_DEVICE void load_shared(float& a, float& b, Shared from) {
  asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(a), "=f"(b) : "r"(from) : "memory");
}

SWEEPD_DEVICE float load_shared(Shared from) {
  float value;
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(value) : "r"(from) : "memory");
  return value;
}
SWEEPD_DEVICE void load_shared(float (&to)[4], Shared from) {
  asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3])
               : "r"(from)
               : "memory");
}

SWEEPD_DEVICE void add_global(float* to, float value) {
  atomicAdd(to, value);
}
// `to` is 16-byte aligned. The four additions are not one.
SWEEPD_DEVICE void add_global(float* to, const float (&values)[4]) {
#if __CUDA_ARCH__ >= 900
  atomicAdd(reinterpret_cast<float4*>(to), make_float4(values[0], values[1], values[2], values[3]));
#else
  for (int i = 0; i < 4; ++i) atomicAdd(to + i, values[i]);
#endif
}

#else

int thread_index();
int block_threads();
int block_x();
int block_y();
int block_z();
int grid_x();
Shared shared_base();
float* shared_floats();
void sync_block();
void sync_threads(int id, int threads);
void sync_warp();
float shuffle_xor(float value, int mask);
inline int uniform(int value) {
  return value;
}
inline float exp2_of(float x) {
  return std::exp2(x);
}
inline float log2_of(float x) {
  return std::log2(x);
}
std::uint32_t emulated_pack(Element type, float low, float high);
float emulated_widen(Element type, std::uint16_t bits);
template <Element kType>
std::uint32_t pack(float low, float high) {
  return emulated_pack(kType, low, high);
}
template <Element kType>
float widen(std::uint16_t bits) {
  return emulated_widen(kType, bits);
}
void store_shared(Shared to, std::uint32_t value);
void store_shared(Shared to, float value);
void store_shared(Shared to, float a, float b, float c, float d);
void load_shared(float& a, float& b, Shared from);
float load_shared(Shared from);
void load_shared(float (&to)[4], Shared from);
inline void add_global(float* to, float value) {
  *to += value;
}
void add_global(float* to, const float (&values)[4]);

#endif

// Returns where row `row` of batch `batch` and head `head` begins.
template <class T>
SWEEPD_DEVICE T* row_of(const Matrix& matrix, int batch, int head, int row) {
  return static_cast<T*>(matrix.data) + batch * matrix.batch_stride + head * matrix.head_stride +
         row * matrix.row_stride;
}

// Sums over the four lanes that hold one row of an accumulator.
SWEEPD_DEVICE float sum_of_quad(float value) {
  value += shuffle_xor(value, 1);
  return value + shuffle_xor(value, 2);
}
SWEEPD_DEVICE float max_of_quad(float value) {
  value = fmaxf(value, shuffle_xor(value, 1));
  return fmaxf(value, shuffle_xor(value, 2));
}

}  // namespace sweepd::gpu
