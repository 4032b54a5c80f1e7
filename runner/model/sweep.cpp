#include "runner/model/sweep.h"

#include <algorithm>

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

std::string_view name_of(Bold bold) {
  switch (bold) {
    case Bold::kNone:
      return "none";
    case Bold::kFaster:
      return "faster";
    case Bold::kSlower:
      return "slower";
    case Bold::kChanged:
      return "changed";
  }
  return "?";
}

Result<Bold> bold_from(std::string_view name) {
  for (const Bold bold : {Bold::kNone, Bold::kFaster, Bold::kSlower, Bold::kChanged}) {
    if (name_of(bold) == name) return bold;
  }
  return Error{ErrorCode::kInvalidArgument,
               "bold: `" + std::string(name) + "` is not one of none, faster, slower, changed"};
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
