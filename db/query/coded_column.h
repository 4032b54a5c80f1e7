// One dimension of the attempts as codes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "db/query/coder.h"
#include "db/query/scan.h"
#include "runner/model/param.h"

namespace sweepd {

// A value like the last one is not looked up again.
class CodedColumn {
 public:
  CodedColumn(DimensionCoder& coder, ValueType type) : coder_(coder), type_(type) {}

  std::uint32_t code(const Scan& scan, int column) {
    switch (type_) {
      case ValueType::kText:
      case ValueType::kChoice:
        return of_text(scan.text(column));
      case ValueType::kReal:
        return coder_.code(Value(scan.real(column)));
      case ValueType::kBoolean:
        return coder_.code(Value(scan.integer(column) != 0));
      default:
        return of_integer(scan.integer(column));
    }
  }

  // A value's place in the sweep is that of the first trial that has it.
  void note(std::uint32_t code, std::int64_t position) {
    if (code >= positions_.size()) positions_.resize(code + 1, position);
    positions_[code] = std::min(positions_[code], position);
  }
  bool in_order() const { return std::is_sorted(positions_.begin(), positions_.end()); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  std::uint32_t of_text(std::string_view text) {
    const auto known = by_text_.find(text);
    if (known != by_text_.end()) return known->second;
    const std::uint32_t code = coder_.code(Value(std::string(text)));
    by_text_.emplace(text, code);
    return code;
  }
  std::uint32_t of_integer(std::int64_t value) {
    if (!known_ || value != last_) {
      last_ = value;
      last_code_ = coder_.code(Value(value));
      known_ = true;
    }
    return last_code_;
  }

  DimensionCoder& coder_;
  ValueType type_;
  std::vector<std::int64_t> positions_;  // by code
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> by_text_;
  std::int64_t last_ = 0;
  std::uint32_t last_code_ = 0;
  bool known_ = false;
};

}  // namespace sweepd
