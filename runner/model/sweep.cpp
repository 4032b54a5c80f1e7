#include "runner/model/sweep.h"

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

}  // namespace sweepd
