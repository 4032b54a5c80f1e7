#include "runner/base/units.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "runner/base/text.h"

namespace sweepd {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr std::array kCountUnits{Unit{"", 1}, Unit{"K", 1e3}, Unit{"M", 1e6}, Unit{"G", 1e9},
                                 Unit{"T", 1e12}};
constexpr std::array kByteUnits{Unit{"", 1},         Unit{"B", 1},        Unit{"KB", 1e3},
                                Unit{"MB", 1e6},     Unit{"GB", 1e9},     Unit{"TB", 1e12},
                                Unit{"KiB", 0x1p10}, Unit{"MiB", 0x1p20}, Unit{"GiB", 0x1p30},
                                Unit{"TiB", 0x1p40}};
constexpr std::array kTimeUnits{Unit{"ns", 1},     Unit{"us", 1e3}, Unit{"ms", 1e6},
                                Unit{"s", 1e9},    Unit{"m", 60e9}, Unit{"h", 3600e9},
                                Unit{"d", 86400e9}};

Error bad(std::string_view kind, std::string_view text, std::string_view expected) {
  return {ErrorCode::kInvalidArgument,
          fmt::format("`{}` is not {}; expected {}", text, kind, expected)};
}

bool is_digit(std::string_view text, std::size_t i) {
  return i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) != 0;
}

// Splits "1.5GiB" into 1.5 and "GiB". Returns false if there is no leading number.
template <class Float>
bool split_number(std::string_view text, Float& number, std::string_view& unit) {
  text = trim(text);
  std::string digits;
  std::size_t i = 0;
  if (i < text.size() && (text[i] == '+' || text[i] == '-')) digits += text[i++];
  if (!digits.empty() && digits[0] == '+') digits.clear();
  for (; i < text.size(); ++i) {
    const char c = text[i];
    const bool exponent = (c == 'e' || c == 'E') && i + 1 < text.size() &&
                          (is_digit(text, i + 1) || text[i + 1] == '-' || text[i + 1] == '+');
    // Underscores between digits are ignored: 10_000.
    const bool spacer = c == '_' && i > 0 && is_digit(text, i - 1) && is_digit(text, i + 1);
    if (is_digit(text, i) || c == '.') {
      digits += c;
    } else if (exponent) {
      digits += c;
      digits += text[++i];
    } else if (!spacer) {
      break;
    }
  }
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  unit = trim(text.substr(i));
  return error == std::errc{} && end == digits.data() + digits.size() && std::isfinite(number);
}

template <std::size_t N>
const Unit* find_unit(const std::array<Unit, N>& units, std::string_view name) {
  for (const Unit& unit : units) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

template <std::size_t N>
Result<std::int64_t> parse_scaled(std::string_view text, const std::array<Unit, N>& units,
                                  std::string_view kind, std::string_view expected) {
  long double number = 0;
  std::string_view name;
  if (!split_number(text, number, name)) return bad(kind, text, expected);
  const Unit* unit = find_unit(units, name);
  if (unit == nullptr) return bad(kind, text, expected);
  const long double scaled = number * unit->factor;
  // Up to 2^53 a double represents every integer, so nothing is rounded silently.
  if (std::abs(scaled) > 0x1p53L) return bad(kind, text, "a value below 2^53");
  // 0.017 has no exact binary form, but 0.017m must be 1020 ms. The rounding error of the 64-bit
  // mantissa is at most 2^-62 of the value, and users write no fraction that small.
  const long double rounded = std::nearbyint(scaled);
  if (std::abs(scaled - rounded) > std::abs(scaled) * 0x1p-60L) return bad(kind, text, expected);
  return static_cast<std::int64_t>(rounded);
}

struct InUnit {
  std::int64_t count = 0;
  std::string_view unit;
  std::string text() const { return fmt::format("{}{}", count, unit); }
};

// Expresses the value in the largest of five units that divides it, each `base` times the one
// before.
InUnit in_largest_unit(std::int64_t value, std::int64_t base,
                       const std::array<std::string_view, 5>& units) {
  std::size_t i = 0;
  while (value != 0 && value % base == 0 && i + 1 < units.size()) {
    value /= base;
    ++i;
  }
  return {value, units[i]};
}

}  // namespace

Result<std::int64_t> parse_integer(std::string_view text) {
  constexpr std::string_view kExpected = "an integer such as 512, 10_000 or 64K";
  // Plain digits are parsed exactly, because seeds may use all 63 bits.
  std::int64_t exact = 0;
  const std::string_view plain = trim(text);
  const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), exact);
  if (error == std::errc{} && end == plain.data() + plain.size()) return exact;
  return parse_scaled(text, kCountUnits, "an integer", kExpected);
}

Result<double> parse_real(std::string_view text) {
  double number = 0;
  std::string_view unit;
  if (!split_number(text, number, unit) || (!unit.empty() && unit != "%")) {
    return bad("a number", text, "a number such as 0.05, 1e-3 or 5%");
  }
  return unit == "%" ? number / 100 : number;
}

Result<Bytes> parse_bytes(std::string_view text) {
  const auto value =
      parse_scaled(text, kByteUnits, "a size in bytes",
                   "a size such as 1048576, 64MiB (1,024-based) or 1GB (1,000-based)");
  if (!value) return value.error();
  if (*value < 0) return bad("a size in bytes", text, "a size of 0 or more");
  return Bytes{*value};
}

Result<Duration> parse_duration(std::string_view text) {
  if (trim(text) == "0") return Duration{0};
  const auto value =
      parse_scaled(text, kTimeUnits, "a duration", "a number with a unit: 250ms, 90s, 10m, 2h");
  if (!value) return value.error();
  if (*value < 0) return bad("a duration", text, "a duration of 0 or more");
  return Duration{*value};
}

Result<bool> parse_boolean(std::string_view text) {
  if (trim(text) == "true") return true;
  if (trim(text) == "false") return false;
  return bad("a boolean", text, "true or false");
}

std::string to_text(Bytes bytes) {
  const auto binary = in_largest_unit(bytes.value, 1024, {"B", "KiB", "MiB", "GiB", "TiB"});
  const auto decimal = in_largest_unit(bytes.value, 1000, {"B", "KB", "MB", "GB", "TB"});
  return decimal.count < binary.count ? decimal.text() : binary.text();
}

std::string to_text(Duration duration) {
  constexpr std::array<std::pair<std::int64_t, std::string_view>, 6> kUnits{
      {{3'600'000'000'000, "h"},
       {60'000'000'000, "m"},
       {1'000'000'000, "s"},
       {1'000'000, "ms"},
       {1'000, "us"},
       {1, "ns"}}};
  if (duration.ns == 0) return "0s";
  for (const auto& [factor, name] : kUnits) {
    if (duration.ns % factor == 0) return fmt::format("{}{}", duration.ns / factor, name);
  }
  return fmt::format("{}ns", duration.ns);
}

std::string to_text(double value) {
  return fmt::format("{}", value);
}

std::string to_human(Bytes bytes) {
  const double value = static_cast<double>(bytes.value);
  if (value >= 0x1p30) return fmt::format("{:.2f} GiB", value / 0x1p30);
  if (value >= 0x1p20) return fmt::format("{:.1f} MiB", value / 0x1p20);
  if (value >= 0x1p10) return fmt::format("{:.1f} KiB", value / 0x1p10);
  return fmt::format("{} B", bytes.value);
}

std::string to_human(Duration duration) {
  const double s = duration.seconds();
  if (s >= 3600)
    return fmt::format("{}h {:02}m", static_cast<int>(s) / 3600, static_cast<int>(s) % 3600 / 60);
  if (s >= 60) return fmt::format("{}m {:02}s", static_cast<int>(s) / 60, static_cast<int>(s) % 60);
  if (s >= 1) return fmt::format("{:.1f} s", s);
  if (s >= 1e-3) return fmt::format("{:.1f} ms", s * 1e3);
  return fmt::format("{:.1f} us", s * 1e6);
}

std::string with_thousands(std::int64_t value) {
  std::string digits = std::to_string(value);
  const std::size_t first = digits[0] == '-' ? 1 : 0;
  for (std::size_t i = digits.size(); i > first + 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

}  // namespace sweepd
