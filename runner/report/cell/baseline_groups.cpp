#include <algorithm>

#include "runner/report/cell/table_value.h"

namespace sweepd::report {
namespace {

// Returns the code of the only value that the results have, else of the requested value.
std::uint32_t code_of(const ResultSet& results, const TableSpec::Filter& name) {
  for (std::size_t d = 0; d < results.dimensions.size(); ++d) {
    const Dimension& dimension = results.dimensions[d];
    if (dimension.name != name.name) continue;
    for (const ResultRow& row : results.rows) {
      if (row.at[d] != kEveryValue) return row.at[d];
    }
    const auto at =
        std::find(dimension.values.begin(), dimension.values.end(), name.values.front());
    if (at != dimension.values.end()) {
      return static_cast<std::uint32_t>(at - dimension.values.begin());
    }
  }
  return kEveryValue;
}

Key without(const Key& key, const std::map<std::size_t, std::uint32_t>& names) {
  Key rest;
  for (std::size_t i = 0; i < key.size(); ++i) {
    if (!names.contains(i)) rest.push_back(key[i]);
  }
  return rest;
}

// Whether every figure of one cell is one of the other. Phases of one attempt differ in figures.
bool same_figures(const CellGroup& own, const CellGroup& other) {
  const auto same = [](const ResultRow* a, const ResultRow* b) {
    if (a == b) return true;
    const bool named = !a->attempt.empty() || !a->trial.empty();
    return named && a->attempt == b->attempt && a->trial == b->trial && a->stats.n == b->stats.n &&
           a->stats.mean == b->stats.mean && a->stats.std == b->stats.std;
  };
  return own.pooled.stats.n > 0 && own.pooled.stats.n == other.pooled.stats.n &&
         std::ranges::all_of(own.rows, [&](const ResultRow* row) {
           return std::ranges::any_of(other.rows,
                                      [&](const auto* each) { return same(row, each); });
         });
}

bool matches(const Key& key, const std::map<std::size_t, std::uint32_t>& names) {
  return std::all_of(names.begin(), names.end(),
                     [&](const auto& name) { return key[name.first] == name.second; });
}

}  // namespace

void CellGroup::add_up(std::string_view metric) {
  std::vector<const ResultRow*> figures;
  std::vector<std::string> texts;
  for (const ResultRow* row : rows) {
    if (row->stats.n > 0) figures.push_back(row);
    const bool known = std::find(texts.begin(), texts.end(), row->text) != texts.end();
    if (!row->text.empty() && !known) texts.push_back(row->text);
  }
  pooled = pool(figures, metric);
  for (const std::string& each : texts) text += (text.empty() ? "" : "/") + each;
}

Result<BaselineGroups> BaselineGroups::resolve(const ResultSet& results, const TableSpec& table,
                                               const TableSpec::Value& value) {
  auto axes = Axes::resolve(results, table);
  if (!axes) return axes.error();
  BaselineGroups groups(std::move(*axes), results);
  for (const TableSpec::Filter& name : table.baseline) {
    if (groups.axes_.row_position(name.name) || groups.axes_.column_position(name.name)) continue;
    groups.hidden_names_agree_ &=
        std::any_of(value.where.begin(), value.where.end(), [&](const TableSpec::Filter& filter) {
          return filter.name == name.name && filter.values == name.values;
        });
  }
  return groups;
}

void BaselineGroups::group(const std::vector<TableSpec::Filter>& names) {
  for (const TableSpec::Filter& name : names) {
    const std::uint32_t code = code_of(*results_, name);
    if (const auto at = axes_.row_position(name.name)) row_names_[*at] = code;
    if (const auto at = axes_.column_position(name.name)) column_names_[*at] = code;
  }
  for (const ResultRow& row : results_->rows) {
    for (const CellKeys& place : axes_.places(row)) {
      if (!is_baseline(place.row, place.column)) continue;  // its row covers every value
      // Without the baseline's own names in the key, a cell with any values of them finds the
      // baseline at its point.
      groups_[without_names(place.row, place.column)].rows.push_back(&row);
    }
  }
  for (auto& [point, group] : groups_) group.add_up(results_->metric);
}

void BaselineGroups::add_cells(UnsaidPooling& pooling) const {
  for (const auto& [point, group] : groups_) pooling.add_cell(group.rows, axes_);
}

BaselineGroups::Found BaselineGroups::find(const Key& row, const Key& column,
                                           const CellGroup* own) const {
  const auto found = groups_.find(without_names(row, column));
  const CellGroup* group = found == groups_.end() ? nullptr : &found->second;
  const bool same = own != nullptr && group != nullptr && same_figures(*own, *group);
  return {group, is_baseline(row, column) && (hidden_names_agree_ || same)};
}

BaselineGroups::Point BaselineGroups::without_names(const Key& row, const Key& column) const {
  return {without(row, row_names_), without(column, column_names_)};
}

bool BaselineGroups::is_baseline(const Key& row, const Key& column) const {
  return matches(row, row_names_) && matches(column, column_names_);
}

}  // namespace sweepd::report
