// Dictionary coding of one dimension: each new value gets the next small integer, and the values
// are put into display order at the end.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "runner/model/vocabulary/catalog.h"
#include "runner/model/vocabulary/value.h"

namespace sweepd {

// The order of the values that no list prescribes. They follow those that a list does prescribe. In
// typed order numbers ascend and texts are compared by byte, in counted order also the numbers
// within texts: "sort.8" is before "sort.64".
enum class DisplayOrder { kFirstAppearance, kTyped, kCounted };

class DimensionCoder {
 public:
  std::uint32_t code(const Value& value);

  struct Ordered {
    std::vector<Value> values;            // in display order
    std::vector<std::uint32_t> new_code;  // indexed by the code that `code` returned
  };
  // `text_of` returns what is compared with `preferred` and `last`.
  template <class TextOf>
  Ordered order(DisplayOrder rest, const std::vector<std::string>& preferred,
                const std::string& last, TextOf text_of) const {
    std::vector<std::string> texts;
    texts.reserve(values_.size());
    for (const Value& value : values_) texts.push_back(text_of(value));
    return order_by(rest, preferred, last, texts);
  }

 private:
  Ordered order_by(DisplayOrder rest, const std::vector<std::string>& preferred,
                   const std::string& last, const std::vector<std::string>& texts) const;

  std::vector<Value> values_;  // by code
  std::unordered_map<std::string, std::uint32_t> by_text_;
  std::unordered_map<std::int64_t, std::uint32_t> by_integer_;
  std::unordered_map<double, std::uint32_t> by_real_;
};

}  // namespace sweepd
