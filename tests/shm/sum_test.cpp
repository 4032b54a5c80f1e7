#include "workloads/dist/shm/sum.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace sweepd::shm {
namespace {

std::vector<Isa> isas() {
  std::vector<Isa> all{Isa::kPortable};
  if (best_isa() != Isa::kPortable) all.push_back(Isa::kAvx2);
  if (best_isa() == Isa::kAvx512) all.push_back(Isa::kAvx512);
  return all;
}

template <class T>
std::vector<T> sum_of(Isa isa, Type type, const std::vector<std::vector<T>>& arrays) {
  std::vector<T> out(arrays[0].size());
  std::vector<const std::byte*> sources;
  for (const auto& array : arrays)
    sources.push_back(reinterpret_cast<const std::byte*>(array.data()));
  auto* const destination = reinterpret_cast<std::byte*>(out.data());
  sum(isa, type, sources, {&destination, 1}, out.size());
  return out;
}

// The slow, obvious conversion of a finite half.
float half_value(std::uint16_t half) {
  const int exponent = (half >> 10) & 31;
  const int fraction = half & 1023;
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return static_cast<float>((half & 0x8000) != 0 ? -magnitude : magnitude);
}

std::uint16_t nearest_half(double value) {
  const double magnitude = std::fabs(value);
  std::uint16_t best = 0;
  for (std::uint16_t low = 0, high = 0x7bff; true;) {  // the largest half that is not above
    if (low == high) {
      best = low;
      break;
    }
    const auto middle = static_cast<std::uint16_t>((low + high + 1) / 2);
    if (half_value(middle) <= magnitude) {
      low = middle;
    } else {
      high = static_cast<std::uint16_t>(middle - 1);
    }
  }
  const double below = half_value(best);
  const double above = best == 0x7bff ? 65536 : half_value(static_cast<std::uint16_t>(best + 1));
  const double middle = (below + above) / 2;
  if (magnitude > middle || (magnitude == middle && best % 2 == 1)) ++best;
  return static_cast<std::uint16_t>(best | (std::signbit(value) ? 0x8000 : 0));
}

TEST(Sum, AddsEveryTypeInOrder) {
  for (const Isa isa : isas()) {
    EXPECT_EQ(sum_of<float>(isa, Type::kFp32, {{1, 2.5F}, {3, 4}, {5, -1}}),
              (std::vector<float>{9, 5.5F}));
    EXPECT_EQ(sum_of<double>(isa, Type::kFp64, {{1e300, 0.1}, {-1e300, 0.2}, {1, 0.3}}),
              (std::vector<double>{1, 0.1 + 0.2 + 0.3}));
    EXPECT_EQ(sum_of<std::int32_t>(isa, Type::kInt32, {{INT32_MAX, -5}, {1, 7}}),
              (std::vector<std::int32_t>{INT32_MIN, 2}));
    EXPECT_EQ(sum_of<std::int64_t>(isa, Type::kInt64, {{INT64_MAX, -5}, {2, 7}}),
              (std::vector<std::int64_t>{INT64_MIN + 1, 2}));
    EXPECT_EQ(sum_of<float>(isa, Type::kFp32, {{7, 8}}), (std::vector<float>{7, 8}));
  }
}

TEST(Sum, EveryHalfSurvivesASumWithZero) {
  std::vector<std::uint16_t> halves;
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    if ((bits & 0x7fff) <= 0x7c00) halves.push_back(static_cast<std::uint16_t>(bits));  // no NaN
  }
  std::vector<std::uint16_t> negative_zeros(halves.size(), 0x8000);
  for (const Isa isa : isas()) {
    EXPECT_EQ(sum_of<std::uint16_t>(isa, Type::kFp16, {halves, negative_zeros}), halves);
  }
}

TEST(Sum, HalvesRoundToNearestEven) {
  std::mt19937 random(1);
  std::vector<std::uint16_t> a(20'000), b(a.size()), expected(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<std::uint16_t>(random() % 0x7c00 | (random() % 2) << 15);
    b[i] = static_cast<std::uint16_t>(random() % 0x7c00 | (random() % 2) << 15);
    // The sum of two halves is exact in fp64. fp32 may round first, in the same direction or to a
    // tie, so the sum is compared with the fp32 value.
    expected[i] = nearest_half(half_value(a[i]) + half_value(b[i]));
  }
  for (const Isa isa : isas()) {
    const auto sums = sum_of<std::uint16_t>(isa, Type::kFp16, {a, b});
    for (std::size_t i = 0; i < a.size(); ++i) {
      const bool both_zero = (sums[i] | expected[i] | 0x8000) == 0x8000;
      ASSERT_TRUE(sums[i] == expected[i] || both_zero)
          << half_value(a[i]) << " + " << half_value(b[i]) << " gave " << half_value(sums[i]);
    }
  }
}

TEST(Sum, BFloatsRoundToNearestEven) {
  // 1 + 2^-8 is halfway between 1 and the next bfloat, 1 + 2^-7. Three times as much is halfway
  // between the next two.
  const std::uint16_t one = 0x3f80, half_step = 0x3b80, three_half_steps = 0x3c40;
  for (const Isa isa : isas()) {
    EXPECT_EQ(sum_of<std::uint16_t>(isa, Type::kBf16, {{one, one}, {half_step, three_half_steps}}),
              (std::vector<std::uint16_t>{0x3f80, 0x3f82}));
    // It is rounded once, at the end: four half steps are two whole ones.
    EXPECT_EQ(sum_of<std::uint16_t>(isa, Type::kBf16,
                                    {{one}, {half_step}, {half_step}, {half_step}, {half_step}}),
              (std::vector<std::uint16_t>{0x3f82}));
  }
}

TEST(Sum, NaNAndInfinityStay) {
  const std::uint16_t half_nan = 0x7d01, half_infinity = 0x7c00, half_largest = 0x7bff;
  const std::uint16_t bf_nan = 0x7f81, bf_infinity = 0x7f80;
  for (const Isa isa : isas()) {
    EXPECT_EQ(sum_of<std::uint16_t>(isa, Type::kFp16,
                                    {{half_infinity, half_largest, half_infinity},
                                     {0, half_largest, static_cast<std::uint16_t>(0xfc00)}})[1],
              half_infinity);
    for (const std::size_t count : {1U, 8U, 11U}) {  // in the vector's body and in its remainder
      const std::vector<std::uint16_t> nans(count, half_nan), zeros(count, 0);
      EXPECT_EQ(sum_of<std::uint16_t>(isa, Type::kFp16, {nans, zeros}),
                std::vector<std::uint16_t>(count, 0x7e00));
    }
    EXPECT_EQ(sum_of<std::uint16_t>(isa, Type::kBf16, {{bf_nan, bf_infinity}, {0, 0x3f80}}),
              (std::vector<std::uint16_t>{0x7fc0, bf_infinity}));
  }
}

TEST(Sum, IsTheSameForEveryInstructionSetAndLength) {
  std::mt19937 random(2);
  for (const Type type :
       {Type::kFp32, Type::kFp64, Type::kFp16, Type::kBf16, Type::kInt32, Type::kInt64}) {
    for (const std::size_t count : {0U, 1U, 7U, 1023U, 1024U, 1025U, 5000U}) {
      // Bytes 0 to 63 have no exponent that makes a sum overflow.
      std::vector<std::vector<std::uint8_t>> bytes(3);
      std::vector<const std::byte*> sources;
      for (auto& array : bytes) {
        array.resize(count * size_of(type) + 1);
        for (auto& byte : array) byte = static_cast<std::uint8_t>(random() % 64);
        sources.push_back(reinterpret_cast<const std::byte*>(array.data()));
      }
      std::vector<std::uint8_t> expected(count * size_of(type) + 1, 0xee);
      auto* destination = reinterpret_cast<std::byte*>(expected.data());
      sum(Isa::kPortable, type, sources, {&destination, 1}, count);
      for (const Isa isa : isas()) {
        std::vector<std::uint8_t> one(expected.size(), 0xee), two(expected.size(), 0xee);
        std::byte* const both[] = {reinterpret_cast<std::byte*>(one.data()),
                                   reinterpret_cast<std::byte*>(two.data())};
        sum(isa, type, sources, both, count);
        EXPECT_EQ(one, expected) << name_of(type) << " of " << count;
        EXPECT_EQ(two, expected);
        EXPECT_EQ(one.back(), 0xee);  // not beyond the end
      }
    }
  }
}

TEST(Sum, WorksInPlace) {
  for (const Isa isa : isas()) {
    std::vector<float> a(3000, 1), b(3000, 2);
    const std::byte* const sources[] = {reinterpret_cast<std::byte*>(a.data()),
                                        reinterpret_cast<std::byte*>(b.data())};
    std::byte* const destinations[] = {reinterpret_cast<std::byte*>(a.data()),
                                       reinterpret_cast<std::byte*>(b.data())};
    sum(isa, Type::kFp32, sources, destinations, 3000);
    EXPECT_EQ(a, std::vector<float>(3000, 3));
    EXPECT_EQ(b, a);
  }
}

}  // namespace
}  // namespace sweepd::shm
