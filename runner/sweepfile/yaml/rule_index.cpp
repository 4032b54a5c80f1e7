#include "runner/sweepfile/yaml/rule_index.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <unordered_map>

namespace sweepd::sweepfile {
namespace {

constexpr std::size_t kWordBits = 64;
// Limit on bits for every value of one dimension. Above it the rules are listed instead.
constexpr std::size_t kMaxBitBytes = 16U << 20;

using Counters = std::vector<std::uint32_t>;  // ascending

void insert(std::vector<std::uint64_t>& bits, std::size_t rule) {
  bits[rule / kWordBits] |= std::uint64_t{1} << (rule % kWordBits);
}

// The positions of each value in an axis, for every axis of a product, since rules are many and
// axes long.
class Places {
 public:
  explicit Places(const std::vector<Dimension>& dimensions) {
    for (const Dimension& dimension : dimensions) {
      for (const Axis* axis : dimension.axes) {
        auto& places = by_param_[axis->param];
        for (std::size_t i = 0; i < dimension.length; ++i) {
          places[axis->values[i]].push_back(static_cast<std::uint32_t>(i));
        }
      }
    }
  }

  bool is_axis(std::size_t param) const { return by_param_.contains(param); }

  Counters of(const Axis& key) const {
    Counters all;
    const auto& places = by_param_.at(key.param);
    for (const Value& value : key.values) {
      const auto found = places.find(value);
      if (found == places.end()) continue;
      all.insert(all.end(), found->second.begin(), found->second.end());
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

 private:
  std::unordered_map<std::size_t, std::unordered_map<Value, Counters>> by_param_;
};

// Returns the counters at which all of the rule's keys in the dimension match, or nothing if it has
// no key there.
std::optional<Counters> counters_of(const ExcludeRule& rule, const Dimension& dimension,
                                    const Places& places) {
  std::optional<Counters> all;
  for (const Axis& key : rule.keys) {
    const auto is_its = [&](const Axis* axis) { return axis->param == key.param; };
    if (std::none_of(dimension.axes.begin(), dimension.axes.end(), is_its)) continue;
    Counters listed = places.of(key);
    if (all) {
      Counters both;
      std::set_intersection(all->begin(), all->end(), listed.begin(), listed.end(),
                            std::back_inserter(both));
      listed = std::move(both);
    }
    all = std::move(listed);
  }
  return all;
}

bool base_matches(const ExcludeRule& rule, const Places& places, const Trial& base) {
  return std::all_of(rule.keys.begin(), rule.keys.end(), [&](const Axis& key) {
    return places.is_axis(key.param) || std::find(key.values.begin(), key.values.end(),
                                                  base.values[key.param]) != key.values.end();
  });
}

}  // namespace

RuleIndex::RuleIndex(const std::vector<ExcludeRule>& rules,
                     const std::vector<Dimension>& dimensions, const Trial& base)
    : words_((rules.size() + kWordBits - 1) / kWordBits),
      possible_(words_, 0),
      left_(dimensions.size(), Bits(words_, 0)),
      some_(dimensions.size(), 0) {
  const Places places(dimensions);
  for (std::size_t r = 0; r < rules.size(); ++r) {
    if (base_matches(rules[r], places, base)) insert(possible_, r);
  }
  for (const Dimension& dimension : dimensions) {
    Rules& index = dimensions_.emplace_back();
    index.any_value.assign(words_, 0);
    index.listing.resize(dimension.length);
    for (std::size_t r = 0; r < rules.size(); ++r) {
      const auto listed = counters_of(rules[r], dimension, places);
      if (!listed) {
        insert(index.any_value, r);
        continue;
      }
      for (const std::uint32_t i : *listed)
        index.listing[i].push_back(static_cast<std::uint32_t>(r));
    }
    if (dimension.length * words_ * sizeof(std::uint64_t) > kMaxBitBytes) continue;
    for (const auto& listing : index.listing) {
      Bits& accepting = index.accepting.emplace_back(index.any_value);
      for (const std::uint32_t r : listing) insert(accepting, r);
    }
    index.listing.clear();
  }
}

void RuleIndex::set(std::size_t dimension, std::size_t counter) {
  const Rules& index = dimensions_[dimension];
  const Bits& before = dimension == 0 ? possible_ : left_[dimension - 1];
  Bits& left = left_[dimension];
  some_[dimension] = 0;
  if (dimension > 0 && some_[dimension - 1] == 0) return;
  std::uint64_t any = 0;
  const Bits& accepting = index.accepting.empty() ? index.any_value : index.accepting[counter];
  for (std::size_t w = 0; w < words_; ++w) {
    left[w] = before[w] & accepting[w];
    any |= left[w];
  }
  if (index.accepting.empty()) {
    for (const std::uint32_t r : index.listing[counter]) {
      const std::uint64_t bit = before[r / kWordBits] & (std::uint64_t{1} << (r % kWordBits));
      left[r / kWordBits] |= bit;
      any |= bit;
    }
  }
  some_[dimension] = any != 0 ? 1 : 0;
}

std::optional<std::size_t> RuleIndex::first_match() const {
  if (!some_.empty() && some_.back() == 0) return std::nullopt;
  const Bits& left = left_.empty() ? possible_ : left_.back();
  for (std::size_t w = 0; w < words_; ++w) {
    if (left[w] != 0) {
      return w * kWordBits + static_cast<std::size_t>(std::countr_zero(left[w]));
    }
  }
  return std::nullopt;
}

}  // namespace sweepd::sweepfile
