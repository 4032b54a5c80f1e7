// The value of one parameter, and its text for users.
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

// The parameter's ValueType decides which alternative is used.
using Value = std::variant<std::int64_t, double, bool, std::string>;

std::string_view name_of(ValueType type);  // "integer", "real", ...
Result<ValueType> value_type_from(std::string_view name);

// Returns the canonical text, which parses back to the same value. Trial keys hash it too, except
// that bytes have their own text (key_text in model/sweep/trial.h).
std::string to_text(const Value& value, ValueType type);

// Checks syntax only. The definition checks choices and limits (model/vocabulary/catalog.h).
Result<Value> parse_value(std::string_view text, ValueType type);

}  // namespace sweepd
