// Finds the points of a product that its exclude rules remove, for many rules and many points:
// testing 29,000 rules one by one at a million points takes minutes.
//
// Every value of a dimension has the set of rules that accept it, as bits. A rule removes a point
// if it is in the sets of all of the point's values. Points come in order, the last dimension
// fastest, so the sets of the leading dimensions are intersected once for all points that share
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "runner/sweepfile/yaml/product.h"

namespace sweepd::sweepfile {

class RuleIndex {
 public:
  // `base` is the trial of defaults and params, for keys that are not an axis.
  RuleIndex(const std::vector<ExcludeRule>& rules, const std::vector<Dimension>& dimensions,
            const Trial& base);

  // Sets the counter of a dimension. Later dimensions must be set again before `first_match`.
  void set(std::size_t dimension, std::size_t counter);

  // Returns the first rule, in the file's order, that removes the point, or nothing if the point
  // stays.
  std::optional<std::size_t> first_match() const;

 private:
  using Bits = std::vector<std::uint64_t>;
  struct Rules {
    Bits any_value;  // rules without a key of this dimension
    // By counter, the rules that list its value. A dimension of few values has them as bits, which
    // include those of `any_value`.
    std::vector<std::vector<std::uint32_t>> listing;
    std::vector<Bits> accepting;
  };

  std::size_t words_ = 0;
  Bits possible_;  // rules whose keys that are not an axis match
  std::vector<Rules> dimensions_;
  std::vector<Bits> left_;          // by dimension: rules that remain after it and those before it
  std::vector<std::uint8_t> some_;  // by dimension: whether any remain
};

}  // namespace sweepd::sweepfile
