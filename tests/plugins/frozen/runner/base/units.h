// Quantities as users write them: `64K`, `1.5GiB`, `10m`, `2%`. Parsing is strict (no trailing
// text, no overflow) and names the expected form. Formatting gives text that parses back to the
// same value.
//
//   integer   [+-]digits[_digits...] [K|M|G|T]      K = 1,000 (counts)
//   bytes     number [B|KB|MB|GB|TB|KiB|MiB|GiB|TiB]  KB = 1,000 B, KiB = 1,024 B
//   duration  number (ns|us|ms|s|m|h|d)               `0` needs no unit
//   real      number [%]                             2% = 0.02
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runner/base/result.h"

namespace sweepd {

// Strong types, so that a parameter's kind is its C++ type (see model/vocabulary/param.h).
struct Bytes {
  std::int64_t value = 0;
  friend auto operator<=>(const Bytes&, const Bytes&) = default;
};

struct Duration {
  std::int64_t ns = 0;
  double seconds() const { return static_cast<double>(ns) * 1e-9; }
  friend auto operator<=>(const Duration&, const Duration&) = default;
};

constexpr Bytes operator""_KiB(unsigned long long n) {
  return {static_cast<std::int64_t>(n << 10)};
}
constexpr Bytes operator""_MiB(unsigned long long n) {
  return {static_cast<std::int64_t>(n << 20)};
}
constexpr Bytes operator""_GiB(unsigned long long n) {
  return {static_cast<std::int64_t>(n << 30)};
}
constexpr Duration seconds(std::int64_t n) {
  return {n * 1'000'000'000};
}
constexpr Duration milliseconds(std::int64_t n) {
  return {n * 1'000'000};
}

Result<std::int64_t> parse_integer(std::string_view text);
Result<double> parse_real(std::string_view text);
Result<Bytes> parse_bytes(std::string_view text);
Result<Duration> parse_duration(std::string_view text);
Result<bool> parse_boolean(std::string_view text);  // true|false (YAML 1.2 spelling only)

// Exact text in the largest unit that divides the value ("1536MiB", "90s"); parses back unchanged.
std::string to_text(Bytes bytes);
std::string to_text(Duration duration);
// Shortest text that parses back to the same double ("0.05", "1e-05").
std::string to_text(double value);

// For people, rounded to about three digits: "1.47 GiB", "2m 05s", "12.3 ms".
std::string to_human(Bytes bytes);
std::string to_human(Duration duration);
// 1998235200 -> "1,998,235,200"
std::string with_thousands(std::int64_t value);

}  // namespace sweepd
