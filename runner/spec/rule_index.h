// Which points of a product its exclude rules remove, for many rules and many points: 29,000 rules
// times a million points, one by one, take minutes.
//
// Every value of a dimension has the set of rules that accept it, as bits; a point is removed by
// the rules in all of its values' sets. Points come in order, the last dimension fastest, so the
// sets of the leading dimensions are intersected once for all points that share them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "runner/spec/product.h"

namespace sweepd::spec {

class RuleIndex {
 public:
  // `base` is the trial of defaults and params, for the keys that are no axis.
  RuleIndex(const std::vector<ExcludeRule>& rules, const std::vector<Dimension>& dimensions,
            const Trial& base);

  // The dimension's counter is this now. Those behind it must be set again before `first_match`.
  void set(std::size_t dimension, std::size_t counter);

  // The first rule, in the file's order, that removes the point; none: it stays.
  std::optional<std::size_t> first_match() const;

 private:
  using Bits = std::vector<std::uint64_t>;
  struct Rules {
    Bits any_value;  // those without a key of this dimension
    // By counter, the rules that list its value; a dimension of few values has them as bits, with
    // those of `any_value`.
    std::vector<std::vector<std::uint32_t>> listing;
    std::vector<Bits> accepting;
  };

  std::size_t words_ = 0;
  Bits possible_;  // their keys that are no axis match
  std::vector<Rules> dimensions_;
  std::vector<Bits> left_;          // by dimension: what it and those before it leave
  std::vector<std::uint8_t> some_;  // whether that is any
};

}  // namespace sweepd::spec
