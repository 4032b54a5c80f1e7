#include "runner/trace/decimal_time.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace sweepd::trace {
namespace {

// The digits of a number without its leading zeros, and where its point is among them.
struct Decimal {
  std::array<char, 40> digits{};
  int count = 0;
  int point = 0;  // digits before it; negative: zeros follow it

  void add(char digit, bool after_point) {
    if (count == 0 && digit == '0') {
      if (after_point) --point;
      return;
    }
    if (count < static_cast<int>(digits.size())) digits[static_cast<std::size_t>(count++)] = digit;
    if (!after_point) ++point;
  }
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::optional<int> exponent_of(std::string_view text) {
  if (text.empty()) return 0;
  text.remove_prefix(1);  // e
  if (text.starts_with('+')) text.remove_prefix(1);
  int exponent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return std::clamp(exponent, -1000, 1000);
}

}  // namespace

std::optional<std::int64_t> us_to_ns(std::string_view number) {
  const bool negative = number.starts_with('-');
  if (negative) number.remove_prefix(1);
  Decimal decimal;
  bool after_point = false;
  std::size_t at = 0;
  for (; at < number.size() && number[at] != 'e' && number[at] != 'E'; ++at) {
    if (number[at] == '.' && !after_point && at > 0) {
      after_point = true;
    } else if (is_digit(number[at])) {
      decimal.add(number[at], after_point);
    } else {
      return std::nullopt;
    }
  }
  const auto exponent = exponent_of(number.substr(at));
  if (at == 0 || !exponent) return std::nullopt;
  if (decimal.count == 0) return 0;
  const int whole = decimal.point + *exponent + 3;  // digits before the point, in nanoseconds
  if (whole < 0) return 0;
  if (whole > 19) return std::nullopt;
  const auto digit = [&](int i) {
    return i < decimal.count ? decimal.digits[static_cast<std::size_t>(i)] - '0' : 0;
  };
  std::uint64_t ns = 0;  // 19 digits fit
  for (int i = 0; i < whole; ++i) ns = ns * 10 + static_cast<std::uint64_t>(digit(i));
  if (digit(whole) >= 5) ++ns;
  if (ns > static_cast<std::uint64_t>(kFurthestNs)) return std::nullopt;
  return negative ? -static_cast<std::int64_t>(ns) : static_cast<std::int64_t>(ns);
}

}  // namespace sweepd::trace
