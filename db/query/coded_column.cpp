#include "db/query/coded_column.h"

#include <algorithm>

namespace sweepd {

Value CodedColumn::value(std::uint32_t code) const {
  switch (type_) {
    case ValueType::kText:
    case ValueType::kChoice:
      return texts_[code];
    case ValueType::kReal:
      return reals_[code];
    case ValueType::kBoolean:
      return integers_[code] != 0;
    default:
      return integers_[code];
  }
}

CodedColumn::Ordered CodedColumn::ordered() const {
  std::vector<std::uint32_t> codes;
  for (std::uint32_t code = 0; code < positions_.size(); ++code) {
    if (positions_[code] != kNowhere) codes.push_back(code);
  }
  std::stable_sort(codes.begin(), codes.end(), [this](std::uint32_t a, std::uint32_t b) {
    return positions_[a] < positions_[b];
  });
  Ordered all;
  all.new_code.resize(positions_.size());
  for (const std::uint32_t code : codes) all.new_code[code] = all.coder.code(value(code));
  return all;
}

}  // namespace sweepd
