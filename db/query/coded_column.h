// Stores one dimension of trials or attempts as codes until the table's values are known.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "db/query/coder.h"
#include "db/query/dictionary.h"
#include "db/query/row_visitor.h"
#include "runner/model/param.h"

namespace sweepd {

class CodedColumn {
 public:
  CodedColumn(std::size_t dimension, ValueType type) : dimension_(dimension), type_(type) {}

  std::size_t dimension() const { return dimension_; }  // of the plan's
  std::uint32_t code(const RowValues& row, int column) {
    switch (type_) {
      case ValueType::kText:
      case ValueType::kChoice:
        return texts_.code(row.text(column));
      case ValueType::kReal:
        return reals_.code(row.real(column));
      default:
        return integers_.code(row.integer(column));
    }
  }
  // Marks the value as shown. Values are ordered by the first trial that has them.
  void note(std::uint32_t code, std::int64_t position) {
    if (code >= positions_.size()) positions_.resize(code + 1, kNowhere);
    if (position < positions_[code]) positions_[code] = position;
  }

  // Returns the noted values in that order. `new_code` is indexed by the code that `code` returned.
  struct Ordered {
    DimensionCoder coder;
    std::vector<std::uint32_t> new_code;
  };
  Ordered ordered() const;

 private:
  static constexpr std::int64_t kNowhere = std::numeric_limits<std::int64_t>::max();
  Value value(std::uint32_t code) const;

  std::size_t dimension_;
  ValueType type_;
  Dictionary<std::string> texts_;
  Dictionary<std::int64_t> integers_;  // booleans, too
  Dictionary<double> reals_;
  std::vector<std::int64_t> positions_;  // by code
};

}  // namespace sweepd
