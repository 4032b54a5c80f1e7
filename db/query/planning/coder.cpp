#include "db/query/planning/coder.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <string_view>
#include <tuple>

namespace sweepd {
namespace {

bool begins_with_digit(std::string_view text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) != 0;
}

// Takes the digits at the text's begin, and returns them without zeros before them.
std::string_view take_number(std::string_view& text) {
  while (text.starts_with('0')) text.remove_prefix(1);
  const std::string_view begin = text;
  while (begins_with_digit(text)) text.remove_prefix(1);
  return begin.substr(0, begin.size() - text.size());
}

bool is_before_by_count(std::string_view a, std::string_view b) {
  const std::string_view whole_a = a, whole_b = b;
  while (!a.empty() && !b.empty()) {
    if (begins_with_digit(a) && begins_with_digit(b)) {
      const std::string_view left = take_number(a), right = take_number(b);
      if (left.size() != right.size()) return left.size() < right.size();
      if (left != right) return left < right;
      continue;
    }
    if (a[0] != b[0]) return a[0] < b[0];
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  if (a.empty() != b.empty()) return a.empty();
  return whole_a < whole_b;  // "07" and "7"
}

bool is_before(DisplayOrder order, const Value& a, const Value& b) {
  if (order == DisplayOrder::kFirstAppearance) return false;
  const auto* left = std::get_if<std::string>(&a);
  const auto* right = std::get_if<std::string>(&b);
  const bool by_count = order == DisplayOrder::kCounted && left != nullptr && right != nullptr;
  return by_count ? is_before_by_count(*left, *right) : a < b;
}

}  // namespace

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
    return is_before(rest, values_[a], values_[b]);
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
