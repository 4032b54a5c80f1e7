// Values as JSON and back. JSON numbers cannot be NaN or infinite: `number_to_json` writes these as
// "nan", "inf", "-inf", and a double is read from either form. `Json` is nlohmann::json or
// nlohmann::ordered_json.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/base/clock.h"
#include "runner/base/result.h"
#include "runner/base/units.h"
#include "runner/wire/json_text.h"

namespace sweepd {

inline nlohmann::ordered_json number_to_json(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

namespace detail {

// Each `read_json` returns the expected type, or "" if it read the value.
template <class Json>
std::string_view read_json(const Json& json, std::string& out) {
  if (!json.is_string()) return "a string";
  out = json.template get<std::string>();
  return "";
}
template <class Json>
std::string_view read_json(const Json& json, bool& out) {
  if (!json.is_boolean()) return "true or false";
  out = json.template get<bool>();
  return "";
}
template <class Json, std::integral T>
std::string_view read_json(const Json& json, T& out) {
  constexpr std::string_view kExpected = sizeof(T) < 8 ? "a small integer" : "an integer";
  if (!json.is_number_integer()) return kExpected;
  if (json.is_number_unsigned()) {
    const auto wide = json.template get<std::uint64_t>();
    if (wide > static_cast<std::uint64_t>(std::numeric_limits<T>::max())) return kExpected;
    out = static_cast<T>(wide);
    return "";
  }
  const auto wide = json.template get<std::int64_t>();
  // A value that this process made may be signed and large; parsed text gives unsigned ones.
  if (!std::in_range<T>(wide)) return kExpected;
  out = static_cast<T>(wide);
  return "";
}
template <class Json>
std::string_view read_json(const Json& json, double& out) {
  if (json.is_number()) {
    out = json.template get<double>();
    return "";
  }
  if (json == "nan") return out = std::numeric_limits<double>::quiet_NaN(), "";
  if (json == "inf") return out = std::numeric_limits<double>::infinity(), "";
  if (json == "-inf") return out = -std::numeric_limits<double>::infinity(), "";
  return "a number";
}
template <class Json>
std::string_view read_json(const Json& json, Bytes& out) {
  return read_json(json, out.value);
}
template <class Json>
std::string_view read_json(const Json& json, Duration& out) {
  return read_json(json, out.ns);
}
template <class Json>
std::string_view read_json(const Json& json, WallTime& out) {
  return read_json(json, out.ns);
}
template <class Json, class T>
std::string_view read_json(const Json& json, std::optional<T>& out) {
  T value{};
  const std::string_view expected = read_json(json, value);
  if (expected.empty()) out = std::move(value);
  return expected;
}
template <class Json, class T>
std::string_view read_json(const Json& json, std::vector<T>& out) {
  if (!json.is_array()) return "an array";
  out.clear();
  for (const Json& element : json) {
    T value{};
    if (!read_json(element, value).empty()) return "an array of one type";
    out.push_back(std::move(value));
  }
  return "";
}
template <class Json>
std::string_view read_json(const Json& json, std::array<std::int64_t, 3>& out) {
  std::vector<std::int64_t> sizes;
  if (!read_json(json, sizes).empty() || sizes.size() != out.size()) return "three integers";
  std::copy(sizes.begin(), sizes.end(), out.begin());
  return "";
}

}  // namespace detail

// "expected a number, got \"x\""
template <class Json>
std::string not_a(std::string_view expected, const Json& value) {
  std::string text = to_json_line(value);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return "expected " + std::string(expected) + ", got " + text;
}

}  // namespace sweepd
