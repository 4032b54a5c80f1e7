#include "db/query/coder.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace sweepd {

std::uint32_t DimensionCoder::code(const Value& value) {
  const auto next = static_cast<std::uint32_t>(values_.size());
  const auto coded = [&](auto& map, const auto& key) {
    const auto [entry, added] = map.try_emplace(key, next);
    if (added) values_.push_back(value);
    return entry->second;
  };
  if (const auto* text = std::get_if<std::string>(&value)) return coded(by_text_, *text);
  if (const auto* real = std::get_if<double>(&value)) return coded(by_real_, *real);
  if (const auto* flag = std::get_if<bool>(&value)) {
    return coded(by_integer_, static_cast<std::int64_t>(*flag));
  }
  return coded(by_integer_, std::get<std::int64_t>(value));
}

DimensionCoder::Ordered DimensionCoder::order_by(DisplayOrder rest,
                                                 const std::vector<std::string>& preferred,
                                                 const std::string& last,
                                                 const std::vector<std::string>& texts) const {
  const auto place = [&](std::size_t code) -> std::size_t {
    // Values outside `preferred` get the place preferred.size(), and `last` the one after it.
    if (!last.empty() && texts[code] == last) return preferred.size() + 1;
    return static_cast<std::size_t>(std::find(preferred.begin(), preferred.end(), texts[code]) -
                                    preferred.begin());
  };
  std::vector<std::size_t> places(values_.size());
  for (std::size_t code = 0; code < places.size(); ++code) places[code] = place(code);
  std::vector<std::uint32_t> order(values_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (places[a] != places[b]) return places[a] < places[b];
    return rest == DisplayOrder::kTyped && values_[a] < values_[b];
  });
  Ordered ordered;
  ordered.new_code.resize(values_.size());
  for (const std::uint32_t code : order) {
    ordered.new_code[code] = static_cast<std::uint32_t>(ordered.values.size());
    ordered.values.push_back(values_[code]);
  }
  return ordered;
}

}  // namespace sweepd
