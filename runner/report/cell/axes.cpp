#include "runner/report/cell/axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "runner/base/text.h"
#include "runner/base/units.h"

namespace sweepd::report {
namespace {

Result<std::vector<std::size_t>> find_all(const ResultSet& results,
                                          const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const Dimension& dimension : results.dimensions) known.push_back(dimension.name);
  std::vector<std::size_t> found;
  for (const std::string& name : names) {
    const auto at = std::find(known.begin(), known.end(), name);
    if (at == known.end()) {
      return Error{ErrorCode::kInvalidArgument, fmt::format("the results have no column `{}`{}",
                                                            name, did_you_mean(name, known))};
    }
    found.push_back(static_cast<std::size_t>(at - known.begin()));
  }
  return found;
}

bool is_boolean(const Dimension& dimension) {
  return std::all_of(dimension.values.begin(), dimension.values.end(), [](const auto& value) {
    return value == "true" || value == "false" || value.empty();
  });
}

// Returns the number of a plain numeric value if a double represents it exactly.
std::optional<double> exact_number(const Dimension& dimension, const std::string& text) {
  if (!dimension.numeric) return std::nullopt;
  const auto value = parse_real(text);
  const bool plain = value && !text.ends_with('%') && to_text(*value) == text;
  return plain ? std::optional<double>(*value) : std::nullopt;
}

}  // namespace

Result<Axes> Axes::resolve(const ResultSet& results, const TableSpec& table) {
  Axes axes(results, table);
  auto rows = find_all(results, table.rows);
  if (!rows) return rows.error();
  auto columns = find_all(results, table.columns);
  if (!columns) return columns.error();
  axes.rows_ = std::move(*rows);
  axes.columns_ = std::move(*columns);
  axes.note_used_values();
  return axes;
}

void Axes::align(std::span<Axes* const> all, bool only_varying,
                 const std::vector<TableSpec::Filter>& kept) {
  for (auto axis : {&Axes::rows_, &Axes::columns_}) {
    const std::size_t count = all.empty() ? 0 : (all.front()->*axis).size();
    for (std::size_t i = 0; i < count; ++i) {
      std::set<std::uint32_t> used;
      for (const Axes* axes : all) {
        const auto& own = axes->used_[(axes->*axis)[i]];
        used.insert(own.begin(), own.end());
      }
      for (Axes* axes : all) axes->used_[(axes->*axis)[i]].assign(used.begin(), used.end());
    }
  }
  if (!only_varying) return;
  for (Axes* axes : all) axes->drop_constants(kept);
}

void Axes::note_used_values() {
  std::vector<std::set<std::uint32_t>> used(results_->dimensions.size());
  for (const ResultRow& row : results_->rows) {
    for (std::size_t d = 0; d < used.size(); ++d) {
      if (row.at[d] != kEveryValue) used[d].insert(row.at[d]);
    }
  }
  for (const auto& values : used) used_.emplace_back(values.begin(), values.end());
}

void Axes::drop_constants(const std::vector<TableSpec::Filter>& kept) {
  const auto constant = [&](std::size_t d) {
    const bool keep = std::any_of(kept.begin(), kept.end(), [&](const auto& filter) {
      return filter.name == results_->dimensions[d].name;
    });
    return !keep && used_[d].size() == 1;
  };
  for (auto* axis : {&rows_, &columns_}) {
    std::copy_if(axis->begin(), axis->end(), std::back_inserter(dropped_), constant);
    std::erase_if(*axis, constant);
  }
}

void Axes::follow(const Axes& table) {
  for (auto axis : {&Axes::rows_, &Axes::columns_}) {
    std::vector<std::size_t> kept;
    for (const std::size_t theirs : table.*axis) {
      const std::string& name = table.results_->dimensions[theirs].name;
      for (const std::size_t ours : this->*axis) {
        if (results_->dimensions[ours].name != name) continue;
        kept.push_back(ours);
        used_[ours] = table.used_[theirs];
      }
    }
    this->*axis = std::move(kept);
  }
}

const std::string& Axes::heading(std::size_t dimension) const {
  const std::string& name = results_->dimensions[dimension].name;
  for (const TableSpec::Heading& heading : *headings_) {
    if (heading.name == name) return heading.text;
  }
  return name;
}

std::vector<CellKeys> Axes::places(const ResultRow& row) const {
  std::vector<CellKeys> places{{}};
  const auto extend = [&](std::size_t dimension, Key CellKeys::*key) {
    const bool spread = row.at[dimension] == kEveryValue && !used_[dimension].empty();
    const Key values = spread ? used_[dimension] : Key{row.at[dimension]};
    std::vector<CellKeys> extended;
    for (const CellKeys& place : places) {
      for (const std::uint32_t value : values) {
        extended.push_back(place);
        (extended.back().*key).push_back(value);
      }
    }
    places = std::move(extended);
  };
  for (const std::size_t dimension : rows_) extend(dimension, &CellKeys::row);
  for (const std::size_t dimension : columns_) extend(dimension, &CellKeys::column);
  return places;
}

std::string Axes::value_text(std::size_t dimension, std::uint32_t index) const {
  if (index == kEveryValue) return "—";
  const Dimension& of = results_->dimensions[dimension];
  const std::string& text = of.values[index];
  if (text.empty()) return "—";
  return of.name == "metric" ? shown_metric(*results_, text) : text;
}

std::string Axes::metric_unit(std::size_t dimension, std::uint32_t index) const {
  if (!results_->unit.empty() || index == kEveryValue) return "";
  const Dimension& metrics = results_->dimensions[dimension];
  return metrics.name == "metric" ? unit_of(results_->declared, metrics.values[index]) : "";
}

std::string Axes::column_unit(const Key& key) const {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::string unit = metric_unit(columns_[i], key[i]);
    if (!unit.empty()) return unit;
  }
  return "";
}

std::vector<Column> Axes::row_headers() const {
  std::vector<Column> headers;
  for (const std::size_t d : rows_) {
    const Dimension& dimension = results_->dimensions[d];
    headers.push_back({heading(d), "", dimension.numeric ? Align::kRight : Align::kLeft});
  }
  return headers;
}

std::vector<Cell> Axes::row_cells(const Key& key) const {
  std::vector<Cell> cells;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    std::string text = value_text(rows_[i], key[i]);
    const auto number = exact_number(results_->dimensions[rows_[i]], text);
    const std::string unit = metric_unit(rows_[i], key[i]);
    if (!unit.empty() && unit != "1") text += " (" + unit + ")";
    cells.push_back({std::move(text), number});
  }
  return cells;
}

// Heads columns as a paper does: "fp32 forward" needs no name, but a bare "512" or "true" does.
std::string Axes::column_name(const Key& key, const std::string& value) const {
  std::vector<std::string> parts;
  bool any_named = false;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (key[i] == kEveryValue) continue;
    const bool named = needs_name(columns_[i]);
    parts.push_back(named ? named_value(columns_[i], key[i]) : value_text(columns_[i], key[i]));
    any_named |= named;
  }
  if (!value.empty()) parts.push_back(value);
  return join(parts, any_named ? ", " : " ");
}

std::string Axes::row_name(const Key& key) const {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (key[i] == kEveryValue) continue;
    const bool named = rows_.size() > 1 || needs_name(rows_[i]);
    parts.push_back(named ? named_value(rows_[i], key[i]) : value_text(rows_[i], key[i]));
  }
  return join(parts, ", ");
}

bool Axes::needs_name(std::size_t dimension) const {
  const Dimension& of = results_->dimensions[dimension];
  return (of.numeric || is_boolean(of)) && !heading(dimension).empty();
}

std::string Axes::named_value(std::size_t dimension, std::uint32_t index) const {
  const std::string& name = heading(dimension);
  return name.empty() ? value_text(dimension, index)
                      : fmt::format("{} {}", name, value_text(dimension, index));
}

const std::string& Axes::row_value(const Key& key, std::size_t i) const {
  static const std::string kNone;
  return key[i] == kEveryValue ? kNone : results_->dimensions[rows_[i]].values[key[i]];
}

bool Axes::has_unknown(const Key& column) const {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (column[i] != kEveryValue && results_->dimensions[columns_[i]].values[column[i]].empty()) {
      return true;
    }
  }
  return false;
}

std::optional<std::size_t> Axes::row_position(std::string_view name) const {
  return position(rows_, name);
}

std::optional<std::size_t> Axes::column_position(std::string_view name) const {
  return position(columns_, name);
}

std::optional<double> Axes::number_at(const Key& row, const Key& column,
                                      std::string_view name) const {
  const auto number = [&](std::size_t dimension, std::uint32_t index) -> std::optional<double> {
    const auto value = parse_real(value_text(dimension, index));
    return value ? std::optional<double>(*value) : std::nullopt;
  };
  if (const auto at = row_position(name)) return number(rows_[*at], row[*at]);
  if (const auto at = column_position(name)) return number(columns_[*at], column[*at]);
  for (const std::size_t d : dropped_) {
    if (results_->dimensions[d].name == name) return number(d, used_[d].front());
  }
  return std::nullopt;
}

std::optional<std::size_t> Axes::position(const std::vector<std::size_t>& axis,
                                          std::string_view name) const {
  for (std::size_t i = 0; i < axis.size(); ++i) {
    if (results_->dimensions[axis[i]].name == name) return i;
  }
  return std::nullopt;
}

bool Axes::is_constant(std::string_view name) const {
  return std::any_of(dropped_.begin(), dropped_.end(),
                     [&](std::size_t d) { return results_->dimensions[d].name == name; });
}

std::vector<Axes::Difference> Axes::hidden_differences(
    const std::vector<const ResultRow*>& rows) const {
  std::vector<Difference> differences;
  for (std::size_t d = 0; d < results_->dimensions.size(); ++d) {
    const auto shown = [&](const std::vector<std::size_t>& axis) {
      return std::find(axis.begin(), axis.end(), d) != axis.end();
    };
    if (shown(rows_) || shown(columns_)) continue;
    std::set<std::uint32_t> values;
    bool every = false;
    for (const ResultRow* row : rows) {
      every |= row->attempts > 1 && row->at[d] == kEveryValue;
      values.insert(row->at[d]);
    }
    if (!every && values.size() < 2) continue;
    values.erase(kEveryValue);
    Difference& difference = differences.emplace_back();
    difference.name = results_->dimensions[d].name;
    if (every) difference.values = results_->dimensions[d].values;
    if (every) continue;
    for (const std::uint32_t value : values) difference.values.push_back(value_text(d, value));
  }
  return differences;
}

std::optional<std::string> Axes::value_at(const ResultRow& row, std::string_view name) const {
  for (std::size_t d = 0; d < results_->dimensions.size(); ++d) {
    if (results_->dimensions[d].name != name) continue;
    if (row.at[d] == kEveryValue) return std::nullopt;
    return results_->dimensions[d].values[row.at[d]];
  }
  return std::nullopt;
}

}  // namespace sweepd::report
