// Vectors as wide as the instruction set for which this file is compiled, in GCC's vector notation.
// Everything is in a namespace named after the instruction set, so that two builds of it never
// collide.
#pragma once

#include <stdint.h>
#include <string.h>
#if defined(__F16C__)
#include <immintrin.h>
#endif

#ifndef SWEEPD_FLASH_ISA
#define SWEEPD_FLASH_ISA portable
#endif

namespace sweepd::flash::SWEEPD_FLASH_ISA {

#if defined(__AVX512F__)
constexpr int kLanes = 16;
#elif defined(__AVX2__)
constexpr int kLanes = 8;
#else
constexpr int kLanes = 4;
#endif

typedef float Floats __attribute__((vector_size(kLanes * 4)));
typedef int32_t Ints __attribute__((vector_size(kLanes * 4)));
typedef uint16_t Shorts __attribute__((vector_size(kLanes * 2)));
typedef float UnalignedFloats __attribute__((vector_size(kLanes * 4), aligned(4), may_alias));
typedef uint16_t UnalignedShorts __attribute__((vector_size(kLanes * 2), aligned(2), may_alias));

inline int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}
inline int64_t most(int64_t a, int64_t b) {
  return a > b ? a : b;
}

inline Floats load(const float* from) {
  return *reinterpret_cast<const UnalignedFloats*>(from);
}
inline void store(float* to, Floats value) {
  *reinterpret_cast<UnalignedFloats*>(to) = value;
}
inline Floats all(float value) {
  return value - Floats{};
}
inline Floats larger(Floats a, Floats b) {  // b where a is NaN
  return a > b ? a : b;
}

// 2^x with a relative error of 2.3e-7, 0 below the normal numbers, NaN for NaN; for x <= 127.
inline Floats exp2(Floats x) {
  // Adding 1.5 x 2^23 rounds to an integer n and leaves it in the low bits; 127 makes it the bits
  // of an exponent. The result is multiplied by that power and not added to in its exponent, so
  // that NaN stays NaN.
  constexpr float kRound = 12582912.0F + 127.0F;
  const Floats shifted = x + kRound;
  const Floats f = x - (shifted - kRound);  // in [-1/2, 1/2]
  Floats p = all(1.5403530e-4F);            // the Taylor series of 2^f
  p = p * f + 1.3333558e-3F;
  p = p * f + 9.6181291e-3F;
  p = p * f + 5.5504109e-2F;
  p = p * f + 2.4022651e-1F;
  p = p * f + 6.9314718e-1F;
  p = p * f + 1.0F;
  const Ints exponent = reinterpret_cast<Ints>(shifted) << 23;
  return x < -126.0F ? Floats{} : p * reinterpret_cast<Floats>(exponent);
}

// Elements in memory.
struct Fp32 {
  using Stored = float;
  static float widen(float value) { return value; }
  static float narrow(float value) { return value; }
  static Floats load_floats(const float* from) { return load(from); }
  static void store_floats(float* to, Floats value) { store(to, value); }
};

struct Bf16 {
  using Stored = uint16_t;
  static float widen(uint16_t bits) {
    const uint32_t wide = static_cast<uint32_t>(bits) << 16;
    float value;
    memcpy(&value, &wide, 4);
    return value;
  }
  static uint16_t narrow(float value) {
    uint32_t bits;
    memcpy(&bits, &value, 4);
    if (value != value) return static_cast<uint16_t>(bits >> 16 | 0x40);     // quiet, still NaN
    return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);  // to nearest even
  }
  static Floats load_floats(const uint16_t* from) {
    const Shorts bits = *reinterpret_cast<const UnalignedShorts*>(from);
    return reinterpret_cast<Floats>(__builtin_convertvector(bits, Ints) << 16);
  }
  static void store_floats(uint16_t* to, Floats value) {
    const Ints bits = reinterpret_cast<Ints>(value);
    const Ints rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    const Ints kept = value == value ? rounded : (bits >> 16 | 0x40);
    *reinterpret_cast<UnalignedShorts*>(to) = __builtin_convertvector(kept, Shorts);
  }
};

struct Fp16 {
  using Stored = uint16_t;
#if defined(__F16C__)
  static float widen(uint16_t bits) {
    return _cvtsh_ss(bits);
  }
  static uint16_t narrow(float value) {
    return _cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT);
  }
#else
  static float widen(uint16_t bits) {
    _Float16 value;
    memcpy(&value, &bits, 2);
    return static_cast<float>(value);
  }
  static uint16_t narrow(float value) {
    const _Float16 half = static_cast<_Float16>(value);
    uint16_t bits;
    memcpy(&bits, &half, 2);
    return bits;
  }
#endif
#if defined(__AVX512F__)
  static Floats load_floats(const uint16_t* from) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
  }
  static void store_floats(uint16_t* to, Floats value) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                        _mm512_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  }
#elif defined(__AVX2__)
  static Floats load_floats(const uint16_t* from) {
    return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  }
  static void store_floats(uint16_t* to, Floats value) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                     _mm256_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT));
  }
#else
  static Floats load_floats(const uint16_t* from) {
    Floats value;
    for (int lane = 0; lane < kLanes; ++lane) value[lane] = widen(from[lane]);
    return value;
  }
  static void store_floats(uint16_t* to, Floats value) {
    for (int lane = 0; lane < kLanes; ++lane) to[lane] = narrow(value[lane]);
  }
#endif
};

}  // namespace sweepd::flash::SWEEPD_FLASH_ISA
