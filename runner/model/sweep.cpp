#include "runner/model/sweep.h"

#include <fmt/format.h>

#include <algorithm>

#include "runner/base/text.h"

namespace sweepd {

std::string_view name_of(Order order) {
  switch (order) {
    case Order::kInterleaved:
      return "interleaved";
    case Order::kSequential:
      return "sequential";
    case Order::kShuffled:
      return "shuffled";
  }
  return "?";
}

Result<Order> order_from(std::string_view name) {
  for (const Order order : {Order::kInterleaved, Order::kSequential, Order::kShuffled}) {
    if (name_of(order) == name) return order;
  }
  return Error{ErrorCode::kInvalidArgument,
               "`" + std::string(name) +
                   "` is not an order; expected interleaved, sequential or "
                   "shuffled"};
}

namespace {

struct BoldInfo {
  Bold bold;
  std::string_view name;
  BoldScope scope;
};
constexpr BoldInfo kBolds[] = {
    {Bold::kNone, "none", BoldScope::kNone},
    {Bold::kFaster, "faster", BoldScope::kBaseline},
    {Bold::kSlower, "slower", BoldScope::kBaseline},
    {Bold::kChanged, "changed", BoldScope::kBaseline},
    {Bold::kBestInRow, "best_in_row", BoldScope::kRow},
    {Bold::kSmallestInRow, "smallest_in_row", BoldScope::kRow},
    {Bold::kLargestInRow, "largest_in_row", BoldScope::kRow},
    {Bold::kBestInColumn, "best_in_column", BoldScope::kColumn},
    {Bold::kSmallestInColumn, "smallest_in_column", BoldScope::kColumn},
    {Bold::kLargestInColumn, "largest_in_column", BoldScope::kColumn},
};

const BoldInfo& info_of(Bold bold) {
  return kBolds[static_cast<std::size_t>(bold)];
}

}  // namespace

std::string_view name_of(Bold bold) {
  return info_of(bold).name;
}

BoldScope scope_of(Bold bold) {
  return info_of(bold).scope;
}

const std::vector<std::string>& bold_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const BoldInfo& info : kBolds) names.emplace_back(info.name);
    return names;
  }();
  return kNames;
}

Result<Bold> bold_from(std::string_view name) {
  for (const BoldInfo& info : kBolds) {
    if (info.name == name) return info.bold;
  }
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("bold: `{}` is not one of {}{}", name, join(bold_names(), ", "),
                           did_you_mean(name, bold_names()))};
}

std::vector<TableSpec::Filter> merge_filters(std::vector<TableSpec::Filter> filters,
                                             const std::vector<TableSpec::Filter>& over) {
  for (const TableSpec::Filter& filter : over) {
    const auto same = std::find_if(filters.begin(), filters.end(),
                                   [&](const auto& each) { return each.name == filter.name; });
    if (same == filters.end()) {
      filters.push_back(filter);
    } else {
      same->values = filter.values;
    }
  }
  return filters;
}

}  // namespace sweepd
