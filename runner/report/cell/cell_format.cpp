#include "runner/report/cell/cell_format.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <span>

#include "runner/base/text.h"

namespace sweepd::report {
namespace {

constexpr int kMaxPrecision = 17;         // a double has no more
constexpr double kExactInteger = 0x1p53;  // a double holds every integer up to here

void group_thousands(std::string& digits) {
  const std::size_t first = digits[0] == '-' ? 1 : 0;
  std::size_t end = first;
  while (end < digits.size() && digits[end] >= '0' && digits[end] <= '9') ++end;
  for (std::size_t i = end; i > first + 3; i -= 3) digits.insert(i - 3, ",");
}

std::string plain(double value, int precision) {
  const bool whole = value == std::nearbyint(value) && std::abs(value) < kExactInteger;
  if (precision < 0 && whole) return fmt::format("{:.0f}", value);
  // From a million on, six significant digits would need an exponent, which readers dislike.
  if (precision < 0 && std::abs(value) >= 1e6 && std::abs(value) < 1e15) {
    return fmt::format("{:.0f}", value);
  }
  return fmt::format("{:.{}g}", value, precision < 0 ? 6 : precision);
}

std::string digits_of(double value, const NumberFormat& format) {
  const int precision = format.precision < 0 ? 6 : format.precision;  // the default of Python and C
  switch (format.type) {
    case 'f':
      return fmt::format("{:.{}f}", value, precision);
    case 'e':
      return fmt::format("{:.{}e}", value, precision);
    case 'g':
      return fmt::format("{:.{}g}", value, precision);
    case '%':
      return fmt::format("{:.{}f}", value * 100, precision);
    case 'd':
      return fmt::format("{:.0f}", value);
    default:
      return plain(value, format.precision);
  }
}

}  // namespace

Result<NumberFormat> parse_number_format(std::string_view text) {
  NumberFormat format;
  std::string_view rest = text;
  if (rest.starts_with('+')) {
    format.sign = true;
    rest.remove_prefix(1);
  }
  if (rest.starts_with(',')) {
    format.thousands = true;
    rest.remove_prefix(1);
  }
  if (rest.starts_with('.')) {
    const auto [end, error] =
        std::from_chars(rest.data() + 1, rest.data() + rest.size(), format.precision);
    if (error != std::errc{} || format.precision < 0 || format.precision > kMaxPrecision) {
      return Error{
          ErrorCode::kInvalidArgument,
          fmt::format("`.` needs a number of digits from 0 to {}, as in `.1f`", kMaxPrecision)};
    }
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  }
  if (rest.size() == 1 && std::string_view("feg%d").find(rest[0]) != std::string_view::npos) {
    format.type = rest[0];
    rest.remove_prefix(1);
  }
  if (!rest.empty()) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("`{}` is not a format; expected [+][,][.digits][f|e|g|%|d], as in "
                             "`.1f`, `,.0f` or `+.1%`",
                             text)};
  }
  return format;
}

std::string format_number(double value, const NumberFormat& format) {
  if (!std::isfinite(value)) return fmt::format("{}", value);
  std::string digits = digits_of(value, format);
  // Rounding a small negative number gives "-0.0".
  if (digits[0] == '-' && digits.find_first_of("123456789") == std::string::npos)
    digits.erase(0, 1);
  if (format.thousands) group_thousands(digits);
  if (format.sign && digits[0] != '-' && digits.find_first_of("123456789") != std::string::npos) {
    digits.insert(0, 1, '+');
  }
  return format.type == '%' ? digits + "%" : digits;
}

std::string counted(std::size_t n, const std::string& thing) {
  return fmt::format("{} {}{}", n, thing, n == 1 ? "" : "s");
}

std::string in_words(const std::vector<std::string>& items, std::string_view last) {
  if (items.size() < 2) return join(items, "");
  return join(std::span(items).first(items.size() - 1), ", ") + std::string(last) + items.back();
}

std::string p_text(double p) {
  return p < 0.001 ? "<0.001" : fmt::format("{:.3f}", p);
}

}  // namespace sweepd::report
