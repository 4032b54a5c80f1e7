// Times of traces are decimal microseconds with up to nanoseconds: 1712195495505543.2. A double has
// 53 bits for them and loses the last digits.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sweepd::trace {

// Times and durations beyond it (72 years) are mistakes. Below it, sums and differences of two
// times fit 64 bits.
inline constexpr std::int64_t kFurthestNs = 2'300'000'000'000'000'000;

// Exact; what is below a nanosecond is rounded. `number` has the form of JSON's numbers. Returns
// nothing if it has another, or is beyond kFurthestNs.
std::optional<std::int64_t> us_to_ns(std::string_view number);

}  // namespace sweepd::trace
