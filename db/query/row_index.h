// Maps the row ids of a table to places in an array. Ids are dense, so it takes 4 bytes per id.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sweepd {

class RowIndex {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  void put(std::int64_t id, std::size_t place) {
    const auto at = static_cast<std::size_t>(id);
    if (at >= places_.size()) places_.resize(std::max(at + 1, 2 * places_.size()), kNone);
    places_[at] = static_cast<std::uint32_t>(place);
  }
  std::uint32_t find(std::int64_t id) const {  // kNone if it was never put
    const auto at = static_cast<std::size_t>(id);
    return at < places_.size() ? places_[at] : kNone;
  }

 private:
  std::vector<std::uint32_t> places_;
};

}  // namespace sweepd
