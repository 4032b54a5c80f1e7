// The value of one parameter, and the text people write and read for it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "runner/base/result.h"

namespace sweepd {

enum class ValueType {
  kInteger,   // std::int64_t; K/M/G are powers of 1,000
  kReal,      // double; `%` allowed
  kBoolean,   // bool
  kText,      // std::string
  kChoice,    // std::string, one of a fixed set
  kBytes,     // std::int64_t bytes
  kDuration,  // std::int64_t nanoseconds
};

// Which alternative is held follows from the ValueType of the parameter's definition.
using Value = std::variant<std::int64_t, double, bool, std::string>;

std::string_view name_of(ValueType type);  // "integer", "real", ...
Result<ValueType> value_type_from(std::string_view name);

// Canonical text: parses back to the same value, and is what trial keys hash.
std::string to_text(const Value& value, ValueType type);

// Checks syntax only; choices and limits are the definition's business (model/catalog.h).
Result<Value> parse_value(std::string_view text, ValueType type);

}  // namespace sweepd
