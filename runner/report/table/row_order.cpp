#include "runner/report/table/row_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "runner/base/text.h"
#include "runner/model/vocabulary/cell_name.h"

namespace sweepd::report {
namespace {

// The order by the dimensions from left to right, except that parameters which the sweep file lists
// together follow the file's points.
class FileOrderOfRows {
 public:
  // `axes` must outlive it.
  FileOrderOfRows(const Axes& axes, const std::vector<FileOrder>& orders);
  bool before(const Key& a, const Key& b) const;

 private:
  struct Group {
    std::vector<std::size_t> positions;                      // of its parameters in a row's key
    std::map<std::vector<std::string>, std::size_t> places;  // from a point to its first position
  };
  // Combinations that the file does not have come after all points.
  std::size_t place(const Group& group, const Key& key) const;

  const Axes& axes_;
  std::vector<Group> groups_;
};

FileOrderOfRows::FileOrderOfRows(const Axes& axes, const std::vector<FileOrder>& orders)
    : axes_(axes) {
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

bool FileOrderOfRows::before(const Key& a, const Key& b) const {
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

std::size_t FileOrderOfRows::place(const Group& group, const Key& key) const {
  std::vector<std::string> texts;
  for (const std::size_t position : group.positions)
    texts.push_back(axes_.row_value(key, position));
  const auto found = group.places.find(texts);
  return found == group.places.end() ? static_cast<std::size_t>(-1) : found->second;
}

class RowSorter {
 public:
  RowSorter(const QuerySpec& query, const std::vector<TableValue>& values,
            const std::vector<ValueColumn>& columns, std::vector<Key>& rows)
      : query_(query), values_(values), columns_(columns), order_(rows) {}

  // Sorts by the last key first, each time stably, so that the first key decides and the others
  // break ties.
  Result<void> sort() {
    if (!query_.file_order.empty()) {
      const FileOrderOfRows order(axes(), query_.file_order);
      std::stable_sort(order_.begin(), order_.end(),
                       [&](const Key& a, const Key& b) { return order.before(a, b); });
    }
    for (auto key = query_.table.sort.rbegin(); key != query_.table.sort.rend(); ++key) {
      if (auto sorted = sort_by(*key); !sorted) return sorted.error();
    }
    return {};
  }

 private:
  const Axes& axes() const { return values_.front().axes(); }

  Result<void> sort_by(const std::string& key) {
    const bool descending = key.starts_with('-');
    const std::string name = descending ? key.substr(1) : key;
    // All rows have the same value of a dropped dimension.
    if (axes().is_constant(name)) return {};
    if (const auto position = axes().row_position(name)) {
      std::stable_sort(order_.begin(), order_.end(), [&](const Key& a, const Key& b) {
        return descending ? b[*position] < a[*position] : a[*position] < b[*position];
      });
      return {};
    }
    auto values = sort_values(name);
    if (!values) return values.error();
    std::stable_sort(order_.begin(), order_.end(), [&](const Key& a, const Key& b) {
      const auto& left = values->at(a);
      const auto& right = values->at(b);
      if (!left || !right) return left.has_value() && !right.has_value();
      return descending ? *right < *left : *left < *right;
    });
    return {};
  }

  // A sort key that is not a row: a value, by its first figure, or a figure of any value.
  struct SortKey {
    std::optional<std::size_t> table_value;
    std::string figure;
  };
  Result<SortKey> find_sort_key(const std::string& name) const {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (!name.empty() && values_[i].value().name == name && !values_[i].first_figure().empty()) {
        return SortKey{i, values_[i].first_figure()};
      }
    }
    const CellName* known = find_cell_name(name);
    if (known != nullptr && known->kind != NameKind::kWord) return SortKey{{}, name};
    return Error{ErrorCode::kInvalidArgument, unknown_sort_key(query_.table, name)};
  }

  Result<std::map<Key, std::optional<double>>> sort_values(const std::string& name) const {
    const auto key = find_sort_key(name);
    if (!key) return key.error();
    std::map<Key, std::optional<double>> values;
    for (const Key& row : order_) {
      std::optional<double>& value = values[row];
      for (const ValueColumn& column : columns_) {
        // A row is sorted by its first column that has the figure.
        if (value || (key->table_value && *key->table_value != column.table_value)) continue;
        auto figure = values_[column.table_value].figure(row, column.key, key->figure);
        if (!figure) return figure.error();
        if (*figure && !std::isnan(**figure)) value = *figure;
      }
    }
    return values;
  }

  const QuerySpec& query_;
  const std::vector<TableValue>& values_;
  const std::vector<ValueColumn>& columns_;
  std::vector<Key>& order_;
};

}  // namespace

Result<void> sort_rows(const QuerySpec& query, const std::vector<TableValue>& values,
                       const std::vector<ValueColumn>& columns, std::vector<Key>& rows) {
  return RowSorter(query, values, columns, rows).sort();
}

std::vector<std::string> sort_names(const TableSpec& table) {
  std::vector<std::string> names = table.rows;
  for (const TableSpec::Value& value : table.values) {
    if (!value.name.empty()) names.push_back(value.name);
  }
  for (const CellName& figure : cell_names()) {
    if (figure.kind != NameKind::kWord) names.emplace_back(figure.name);
  }
  return names;
}

std::string unknown_sort_key(const TableSpec& table, std::string_view name) {
  const std::vector<std::string> names = sort_names(table);
  return fmt::format(
      "sort: `{}` is neither one of the table's rows nor a figure; expected one of {}{}", name,
      join(names, ", "), did_you_mean(name, names));
}

}  // namespace sweepd::report
