// Numbers values from 0 in the order in which they are first seen.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

namespace sweepd {

template <class T>
class Dictionary {
 public:
  using Key = std::conditional_t<std::is_same_v<T, std::string>, std::string_view, T>;

  std::uint32_t code(Key key) {
    // Comparing with the last value, or with an axis's few values, is faster than hashing.
    if (last_ < values_.size() && values_[last_] == key) return last_;
    const auto few = static_cast<std::uint32_t>(std::min<std::size_t>(values_.size(), kFew));
    for (std::uint32_t i = 0; i < few; ++i) {
      if (values_[i] == key) return last_ = i;
    }
    if (values_.size() > kFew) {
      const auto known = codes_.find(key);
      if (known != codes_.end()) return last_ = known->second;
    }
    last_ = static_cast<std::uint32_t>(values_.size());
    if (last_ >= kFew) codes_.emplace(T(key), last_);
    values_.emplace_back(key);
    return last_;
  }
  const T& operator[](std::uint32_t code) const { return values_[code]; }

 private:
  static constexpr std::size_t kFew = 8;
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(Key key) const { return std::hash<Key>()(key); }
  };

  std::vector<T> values_;
  std::unordered_map<T, std::uint32_t, Hash, std::equal_to<>> codes_;  // from the kFew-th on
  std::uint32_t last_ = 0;
};

// Numbers combinations of codes. A combination is built code by code from kNone, and combinations
// with the same first codes share those steps.
class Combinations {
 public:
  static constexpr std::uint32_t kNone = 0;

  std::uint32_t with(std::uint32_t combination, std::uint32_t code) {
    std::uint32_t& next = code < kFew ? few_[std::size_t{combination} * kFew + code]
                                      : many_[(std::uint64_t{combination} << 32) | code];
    if (next != kNone) return next;
    const std::uint32_t added = next = static_cast<std::uint32_t>(size());
    few_.resize(few_.size() + kFew);  // this may invalidate `next`
    return added;
  }
  std::size_t size() const { return few_.size() / kFew; }

 private:
  static constexpr std::size_t kFew = 16;  // codes that are looked up in an array
  std::vector<std::uint32_t> few_ = std::vector<std::uint32_t>(kFew);
  std::unordered_map<std::uint64_t, std::uint32_t> many_;
};

}  // namespace sweepd
