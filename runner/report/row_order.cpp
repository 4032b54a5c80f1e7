#include "runner/report/row_order.h"

#include <algorithm>

namespace sweepd::report {

RowOrder::RowOrder(const Axes& axes, const std::vector<FileOrder>& orders) : axes_(axes) {
  for (const FileOrder& order : orders) {
    Group group;
    std::vector<std::size_t> shown;  // indices into order.names
    for (std::size_t i = 0; i < order.names.size(); ++i) {
      const auto position = axes.row_position(order.names[i]);
      if (!position) continue;
      group.positions.push_back(*position);
      shown.push_back(i);
    }
    if (shown.size() < 2) continue;  // a single one keeps its own order
    for (std::size_t p = 0; p < order.points.size(); ++p) {
      std::vector<std::string> texts;
      for (const std::size_t i : shown) texts.push_back(order.points[p][i]);
      group.places.try_emplace(std::move(texts), p);
    }
    groups_.push_back(std::move(group));
  }
}

bool RowOrder::before(const Key& a, const Key& b) const {
  for (std::size_t i = 0; i < a.size(); ++i) {
    // At the position of a group's first parameter, the group's points decide.
    for (const Group& group : groups_) {
      const auto first = std::min_element(group.positions.begin(), group.positions.end());
      if (*first != i) continue;
      const std::size_t left = place(group, a), right = place(group, b);
      if (left != right) return left < right;
    }
    const bool grouped = std::any_of(groups_.begin(), groups_.end(), [&](const Group& group) {
      return std::find(group.positions.begin(), group.positions.end(), i) != group.positions.end();
    });
    if (!grouped && a[i] != b[i]) return a[i] < b[i];
  }
  return a < b;
}

std::size_t RowOrder::place(const Group& group, const Key& key) const {
  std::vector<std::string> texts;
  for (const std::size_t position : group.positions)
    texts.push_back(axes_.row_value(key, position));
  const auto found = group.places.find(texts);
  return found == group.places.end() ? static_cast<std::size_t>(-1) : found->second;
}

}  // namespace sweepd::report
