#include "workloads/api/range.h"

#include <algorithm>
#include <vector>

namespace sweepd {
namespace detail {

bool ranges_observed = false;

namespace {
std::vector<RangeObserver*>& observers() {
  static std::vector<RangeObserver*> list;
  return list;
}
}  // namespace

void push_range(std::string_view name) {
  for (RangeObserver* observer : observers()) observer->push(name);
}
void pop_range() {
  for (auto observer = observers().rbegin(); observer != observers().rend(); ++observer) {
    (*observer)->pop();
  }
}

}  // namespace detail

void add_range_observer(RangeObserver& observer) {
  detail::observers().push_back(&observer);
  detail::ranges_observed = true;
}

void remove_range_observer(RangeObserver& observer) {
  std::erase(detail::observers(), &observer);
  detail::ranges_observed = !detail::observers().empty();
}

}  // namespace sweepd
