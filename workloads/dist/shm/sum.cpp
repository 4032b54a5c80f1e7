#include "workloads/dist/shm/sum.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__x86_64__)
#include <immintrin.h>
#define SWEEPD_X86 1
// By default GCC uses half of AVX-512's width. Clang has no such option and uses all of
// it.
#if defined(__clang__)
#define SWEEPD_AVX512 "avx512f,avx512bw,avx512dq,avx512vl"
#else
#define SWEEPD_AVX512 "avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512"
#endif
#endif

namespace sweepd::shm {
namespace {

struct Half {
  std::uint16_t bits;
};
struct BFloat {
  std::uint16_t bits;
};

// The type in which sums are computed. Unsigned, so that an overflow wraps and is not undefined.
template <class T>
struct Wide {
  using type = T;
};
template <>
struct Wide<Half> {
  using type = float;
};
template <>
struct Wide<BFloat> {
  using type = float;
};

[[gnu::always_inline]] inline float widen(BFloat x) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(x.bits) << 16);
}
[[gnu::always_inline]] inline BFloat narrow(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  return {static_cast<std::uint16_t>(x != x ? 0x7fc0 : rounded)};
}

// Without branches: a multiplication shifts the exponent, which also makes subnormals right.
[[gnu::always_inline]] inline float widen_half(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16;
  const std::uint32_t rest = (half & 0x7fffu) << 13;
  const float scaled = std::bit_cast<float>(rest) * 0x1p112f;
  const std::uint32_t special = rest | 0x7f800000u;  // infinity or NaN
  const std::uint32_t bits = rest >= 0x0f800000u ? special : std::bit_cast<std::uint32_t>(scaled);
  return std::bit_cast<float>(bits | sign);
}
[[gnu::always_inline]] inline std::uint16_t narrow_half(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t rest = bits & 0x7fffffffu;
  std::uint32_t half;
  if (rest > 0x7f800000u) {
    half = 0x7e00;  // NaN
  } else if (rest >= 0x477ff000u) {
    half = 0x7c00;  // 65,520 and more round to infinity
  } else if (rest < 0x38800000u) {
    // Below 2^-14: adding 1/2 puts the result, rounded by the adder, into the lowest bits.
    half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(rest) + 0.5f) - 0x3f000000u;
  } else {
    half = (rest - 0x38000000u + 0xfff + ((rest >> 13) & 1)) >> 13;
  }
  return static_cast<std::uint16_t>(half | sign);
}

#if SWEEPD_X86
// GCC does not vectorise conversions of halves.
[[gnu::target("avx2,f16c")]] void widen_halves(float* to, const Half* from, std::size_t count) {
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(halves));
  }
  for (; i < count; ++i) to[i] = widen_half(from[i].bits);
}
[[gnu::target("avx2,f16c")]] void narrow_halves(Half* to, const float* from, std::size_t count) {
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m256 wide = _mm256_loadu_ps(from + i);
    const __m256 nan = _mm256_cmp_ps(wide, wide, _CMP_UNORD_Q);
    // Always the same NaN, as above: the conversion would keep the payload.
    const __m256 clean = _mm256_blendv_ps(wide, _mm256_set1_ps(__builtin_nanf("")), nan);
    const __m128i halves = _mm256_cvtps_ph(clean, _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), halves);
  }
  for (; i < count; ++i) to[i].bits = narrow_half(from[i]);
}
#endif

// Elements that are summed at once. Chosen from 64 to 1,024 by measurement, with fp32 in memory,
// two sources and two destinations. With more, the prefetchers lose track of the four streams
// (1,024 takes 1.4 times as long); with fewer, conversions do not pay.
constexpr std::size_t kBlock = 128;

template <Isa isa, class T, class W>
[[gnu::always_inline]] inline void load(W* to, const T* from, std::size_t count) {
  if constexpr (std::is_same_v<T, Half>) {
#if SWEEPD_X86
    if constexpr (isa != Isa::kPortable) return widen_halves(to, from, count);
#endif
    for (std::size_t i = 0; i < count; ++i) to[i] = widen_half(from[i].bits);
  } else if constexpr (std::is_same_v<T, BFloat>) {
    for (std::size_t i = 0; i < count; ++i) to[i] = widen(from[i]);
  } else {
    std::memcpy(to, from, count * sizeof(T));
  }
}

template <Isa isa, class T, class W>
[[gnu::always_inline]] inline void add(W* to, const T* from, std::size_t count) {
  if constexpr (std::is_same_v<T, Half>) {
    float wide[kBlock];
    load<isa>(wide, from, count);
    for (std::size_t i = 0; i < count; ++i) to[i] += wide[i];
  } else if constexpr (std::is_same_v<T, BFloat>) {
    for (std::size_t i = 0; i < count; ++i) to[i] += widen(from[i]);
  } else {
    for (std::size_t i = 0; i < count; ++i) to[i] += from[i];
  }
}

template <Isa isa, class T, class W>
[[gnu::always_inline]] inline void store(T* to, const W* from, std::size_t count) {
  if constexpr (std::is_same_v<T, Half>) {
#if SWEEPD_X86
    if constexpr (isa != Isa::kPortable) return narrow_halves(to, from, count);
#endif
    for (std::size_t i = 0; i < count; ++i) to[i].bits = narrow_half(from[i]);
  } else if constexpr (std::is_same_v<T, BFloat>) {
    for (std::size_t i = 0; i < count; ++i) to[i] = narrow(from[i]);
  } else {
    std::memcpy(to, from, count * sizeof(T));
  }
}

using Sources = std::span<const std::byte* const>;
using Destinations = std::span<std::byte* const>;

// Sums one block of `count` elements from index `begin` on.
template <Isa isa, class T>
[[gnu::always_inline]] inline void sum_block(Sources sources, Destinations destinations,
                                             std::size_t begin, std::size_t count) {
  using W = typename Wide<T>::type;
  alignas(64) W total[kBlock];
  alignas(64) T narrow_total[kBlock];
  load<isa>(total, reinterpret_cast<const T*>(sources[0]) + begin, count);
  for (std::size_t i = 1; i < sources.size(); ++i) {
    add<isa>(total, reinterpret_cast<const T*>(sources[i]) + begin, count);
  }
  const T* result = narrow_total;
  if constexpr (std::is_same_v<T, W>) {
    result = total;
  } else {
    store<isa>(narrow_total, total, count);
  }
  for (std::byte* destination : destinations) {
    std::memcpy(reinterpret_cast<T*>(destination) + begin, result, count * sizeof(T));
  }
}

template <Isa isa, class T>
[[gnu::always_inline]] inline void sum_blocks(Sources sources, Destinations destinations,
                                              std::size_t count) {
  std::size_t done = 0;
  for (; done + kBlock <= count; done += kBlock) {
    sum_block<isa, T>(sources, destinations, done, kBlock);
  }
  if (done < count) sum_block<isa, T>(sources, destinations, done, count - done);
}

template <Isa isa>
[[gnu::always_inline]] inline void sum_type(Type type, Sources sources, Destinations destinations,
                                            std::size_t count) {
  switch (type) {
    case Type::kFp32:
      return sum_blocks<isa, float>(sources, destinations, count);
    case Type::kFp64:
      return sum_blocks<isa, double>(sources, destinations, count);
    case Type::kFp16:
      return sum_blocks<isa, Half>(sources, destinations, count);
    case Type::kBf16:
      return sum_blocks<isa, BFloat>(sources, destinations, count);
    case Type::kInt32:
      return sum_blocks<isa, std::uint32_t>(sources, destinations, count);
    case Type::kInt64:
      return sum_blocks<isa, std::uint64_t>(sources, destinations, count);
  }
}

#if SWEEPD_X86
[[gnu::target("avx2,f16c")]] void sum_avx2(Type type, Sources sources, Destinations destinations,
                                           std::size_t count) {
  sum_type<Isa::kAvx2>(type, sources, destinations, count);
}
[[gnu::target(SWEEPD_AVX512)]] void sum_avx512(Type type, Sources sources,
                                               Destinations destinations, std::size_t count) {
  sum_type<Isa::kAvx512>(type, sources, destinations, count);
}
#endif

}  // namespace

std::size_t size_of(Type type) {
  switch (type) {
    case Type::kFp16:
    case Type::kBf16:
      return 2;
    case Type::kFp32:
    case Type::kInt32:
      return 4;
    case Type::kFp64:
    case Type::kInt64:
      return 8;
  }
  return 0;
}

std::string_view name_of(Type type) {
  constexpr std::string_view kNames[] = {"fp32", "fp64", "fp16", "bf16", "int32", "int64"};
  return kNames[static_cast<int>(type)];
}

Isa best_isa() {
#if SWEEPD_X86
  static const Isa isa = [] {
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq")) {
      return Isa::kAvx512;
    }
    // Every CPU with AVX2 has F16C.
    return __builtin_cpu_supports("avx2") ? Isa::kAvx2 : Isa::kPortable;
  }();
  return isa;
#else
  return Isa::kPortable;
#endif
}

void sum(Isa isa, Type type, Sources sources, Destinations destinations, std::size_t count) {
#if SWEEPD_X86
  if (isa == Isa::kAvx512) return sum_avx512(type, sources, destinations, count);
  if (isa == Isa::kAvx2) return sum_avx2(type, sources, destinations, count);
#endif
  sum_type<Isa::kPortable>(type, sources, destinations, count);
}

void sum(Type type, Sources sources, Destinations destinations, std::size_t count) {
  sum(best_isa(), type, sources, destinations, count);
}

}  // namespace sweepd::shm
