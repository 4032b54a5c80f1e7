#include "runner/model/sweep/sweep.h"

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
  std::string_view name;
  Bold bold;
  BoldScope scope;
};
constexpr BoldInfo kBolds[] = {
    {"none", Bold::kNone, BoldScope::kNone},
    {"faster", Bold::kFaster, BoldScope::kBaseline},
    {"slower", Bold::kSlower, BoldScope::kBaseline},
    {"changed", Bold::kChanged, BoldScope::kBaseline},
    {"best_in_row", Bold::kBestInRow, BoldScope::kRow},
    {"smallest_in_row", Bold::kSmallestInRow, BoldScope::kRow},
    {"largest_in_row", Bold::kLargestInRow, BoldScope::kRow},
    {"best_in_column", Bold::kBestInColumn, BoldScope::kColumn},
    {"smallest_in_column", Bold::kSmallestInColumn, BoldScope::kColumn},
    {"largest_in_column", Bold::kLargestInColumn, BoldScope::kColumn},
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

std::vector<std::size_t> axes_of(const Sweep& sweep) {
  std::vector<std::size_t> params;
  const auto add = [&params](std::size_t param) {
    if (std::find(params.begin(), params.end(), param) == params.end()) params.push_back(param);
  };
  for (const Axis& axis : sweep.matrix) add(axis.param);
  for (const ZipGroup& group : sweep.zip) {
    for (const Axis& axis : group.axes) add(axis.param);
  }
  for (const auto& point : sweep.include) {
    for (const Setting& setting : point) add(setting.param);
  }
  return params;
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
