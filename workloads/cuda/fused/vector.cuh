// Adjacent elements that one instruction loads or stores.
#pragma once

#include <cstring>

#include "workloads/cuda/flash/row_kernels.cuh"

#ifdef __CUDACC__
#define SWEEPD_UNROLL_8 _Pragma("unroll 8")
#else
#define SWEEPD_UNROLL_8
#endif

namespace sweepd::gpu {

// Streamed: for memory that is used once; the caches evict it first.
#ifdef __CUDACC__
template <class T>
using Bits = std::conditional_t<sizeof(T) == 16, uint4, uint2>;
template <class T>
SWEEPD_DEVICE T load_streamed(const T* from) {
  const Bits<T> bits = __ldcs(reinterpret_cast<const Bits<T>*>(from));
  T value;
  memcpy(&value, &bits, sizeof(T));
  return value;
}
template <class T>
SWEEPD_DEVICE void store_streamed(T* to, const T& value) {
  Bits<T> bits;
  memcpy(&bits, &value, sizeof(T));
  __stcs(reinterpret_cast<Bits<T>*>(to), bits);
}
SWEEPD_DEVICE void check_access(const void*, int) {}
#else
void check_access(const void* at, int bytes);  // refuses what is not aligned
template <class T>
T load_streamed(const T* from) {
  return *from;
}
template <class T>
void store_streamed(T* to, const T& value) {
  *to = value;
}
#endif

constexpr int bytes_of(Element type) {
  return type == Element::kFp32 ? 4 : 2;
}

template <Element kType, int kWidth>
struct alignas(kWidth* bytes_of(kType)) Vector {
  static constexpr int kBytes = kWidth * bytes_of(kType);
  static_assert(kBytes == 8 || kBytes == 16);
  using Word = std::conditional_t<kType == Element::kFp32, float, std::uint32_t>;

  Word words[kBytes / 4];

  SWEEPD_DEVICE static bool aligned(const void* base) {
    return reinterpret_cast<std::uintptr_t>(base) % kBytes == 0;
  }
  // Where the elements of base[at] begin.
  SWEEPD_DEVICE static Vector* place(void* base, std::int64_t at) {
    auto* place = static_cast<Stored<kType>*>(base) + at;
    check_access(place, kBytes);
    return reinterpret_cast<Vector*>(place);
  }
  SWEEPD_DEVICE static const Vector* place(const void* base, std::int64_t at) {
    const auto* place = static_cast<const Stored<kType>*>(base) + at;
    check_access(place, kBytes);
    return reinterpret_cast<const Vector*>(place);
  }

  SWEEPD_DEVICE float operator[](int i) const {
    if constexpr (kType == Element::kFp32) {
      return words[i];
    } else {
      return widen<kType>(static_cast<std::uint16_t>(words[i / 2] >> (i % 2 * 16)));
    }
  }
  // Sets elements i and i + 1; i is even.
  SWEEPD_DEVICE void set(int i, float first, float second) {
    if constexpr (kType == Element::kFp32) {
      words[i] = first;
      words[i + 1] = second;
    } else {
      words[i / 2] = pack<kType>(first, second);
    }
  }
};

}  // namespace sweepd::gpu
