#include "runner/model/vocabulary/value.h"

#include <array>
#include <utility>

#include "runner/base/units.h"

namespace sweepd {
namespace {

constexpr std::array<std::pair<ValueType, std::string_view>, 7> kTypeNames{{
    {ValueType::kInteger, "integer"},
    {ValueType::kReal, "real"},
    {ValueType::kBoolean, "boolean"},
    {ValueType::kText, "text"},
    {ValueType::kChoice, "choice"},
    {ValueType::kBytes, "bytes"},
    {ValueType::kDuration, "duration"},
}};

template <class T>
Result<Value> wrap(Result<T> parsed) {
  if (!parsed) return parsed.error();
  return Value(std::move(*parsed));
}

}  // namespace

std::string_view name_of(ValueType type) {
  for (const auto& [candidate, name] : kTypeNames) {
    if (candidate == type) return name;
  }
  return "?";
}

Result<ValueType> value_type_from(std::string_view name) {
  for (const auto& [type, candidate] : kTypeNames) {
    if (candidate == name) return type;
  }
  return Error{ErrorCode::kInvalidArgument, "unknown value type `" + std::string(name) + "`"};
}

std::string to_text(const Value& value, ValueType type) {
  switch (type) {
    case ValueType::kInteger:
      return std::to_string(std::get<std::int64_t>(value));
    case ValueType::kReal:
      return to_text(std::get<double>(value));
    case ValueType::kBoolean:
      return std::get<bool>(value) ? "true" : "false";
    case ValueType::kText:
    case ValueType::kChoice:
      return std::get<std::string>(value);
    case ValueType::kBytes:
      return to_text(Bytes{std::get<std::int64_t>(value)});
    case ValueType::kDuration:
      return to_text(Duration{std::get<std::int64_t>(value)});
  }
  return {};
}

Result<Value> parse_value(std::string_view text, ValueType type) {
  switch (type) {
    case ValueType::kInteger:
      return wrap(parse_integer(text));
    case ValueType::kReal:
      return wrap(parse_real(text));
    case ValueType::kBoolean:
      return wrap(parse_boolean(text));
    case ValueType::kText:
    case ValueType::kChoice:
      return Value(std::string(text));
    case ValueType::kBytes: {
      const auto bytes = parse_bytes(text);
      if (!bytes) return bytes.error();
      return Value(bytes->value);
    }
    case ValueType::kDuration: {
      const auto duration = parse_duration(text);
      if (!duration) return duration.error();
      return Value(duration->ns);
    }
  }
  return Error{ErrorCode::kInternal, "unknown value type"};
}

}  // namespace sweepd
