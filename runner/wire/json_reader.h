// Strict reading of one JSON object: a required field must exist and have the right type. The first
// mistake is kept with its path (`phases[2].flops: expected a number, got "x"`), so that readers
// are plain lists of fields and check `result()` once. Unknown fields are ignored, because a newer
// writer may add some.
//
// `Json` is nlohmann::json or nlohmann::ordered_json. JSON numbers cannot be NaN or infinite:
// `number_to_json` writes these as "nan", "inf", "-inf", and a double is read from either form.
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

template <class Json>
class JsonReader {
 public:
  explicit JsonReader(const Json& object, std::string path = "")
      : object_(object), path_(std::move(path)) {
    if (!object.is_object()) fail(path_, "expected an object, got " + excerpt(object));
  }

  template <class T>
  void required(const char* name, T& out) {
    if (const Json* field = find(name)) {
      read(name, *field, out);
    } else {
      fail(path_, std::string("missing field `") + name + "`");
    }
  }
  // If the field is absent or null, `out` keeps its value.
  template <class T>
  void optional(const char* name, T& out) {
    const Json* field = find(name);
    if (field != nullptr && !field->is_null()) read(name, *field, out);
  }
  // Reads a required object with `body(JsonReader&)`.
  template <class Body>
  void object(const char* name, Body body) {
    const Json* field = find(name);
    if (field == nullptr) return fail(path_, std::string("missing field `") + name + "`");
    nested(*field, path_to(name), body);
  }
  // Reads a required array of objects with `body(JsonReader&)`, once for each, in order.
  template <class Body>
  void each(const char* name, Body body) {
    each_value(name,
               [&](const Json& element, const std::string& path) { nested(element, path, body); });
  }
  // Reads a required array with `body(element, path)`, once for each, in order.
  template <class Body>
  void each_value(const char* name, Body body) {
    const Json* field = find(name);
    if (field == nullptr) return fail(path_, std::string("missing field `") + name + "`");
    if (!field->is_array()) {
      return fail(path_to(name), "expected an array, got " + excerpt(*field));
    }
    std::size_t index = 0;
    for (const Json& element : *field) {
      body(element, path_to(name) + "[" + std::to_string(index++) + "]");
    }
  }

  const Json* find(const char* name) const {
    if (!object_.is_object()) return nullptr;
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
  }
  std::string path_to(std::string_view name) const {
    return path_.empty() ? std::string(name) : path_ + "." + std::string(name);
  }
  // Keeps the first error.
  void fail(const std::string& path, const std::string& message) {
    if (!error_.empty()) return;
    error_ = path.empty() ? message : path + ": " + message;
  }
  static std::string excerpt(const Json& value) {
    std::string text = to_json_line(value);
    if (text.size() > 60) text = text.substr(0, 57) + "...";
    return text;
  }
  Result<void> result() const {
    if (error_.empty()) return {};
    return Error{ErrorCode::kInvalidArgument, error_};
  }

 private:
  template <class T>
  void read(const char* name, const Json& field, T& out) {
    const std::string_view expected = detail::read_json(field, out);
    if (!expected.empty()) {
      fail(path_to(name), "expected " + std::string(expected) + ", got " + excerpt(field));
    }
  }
  template <class Body>
  void nested(const Json& value, const std::string& path, Body& body) {
    JsonReader reader(value, path);
    body(reader);
    if (!reader.error_.empty()) fail("", reader.error_);
  }

  const Json& object_;
  std::string path_;
  std::string error_;
};

}  // namespace sweepd
