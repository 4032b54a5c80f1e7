#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "runner/base/text.h"
#include "runner/report/axes.h"
#include "runner/report/cell.h"
#include "runner/report/cell_format.h"
#include "runner/report/footnotes.h"
#include "runner/report/report.h"

namespace sweepd {
namespace {

using report::Key;

struct Group {
  std::vector<const ResultRow*> rows;  // everything that falls into the cell
  report::Pooled pooled;               // of the done ones with a figure
};
using Line = std::map<Key, Group>;  // one table row, by column

// "OOM", "OOM/timeout", "…": what stands where a figure would.
std::string word_of(const Group& group) {
  std::set<Outcome> outcomes;
  bool pending = false;
  for (const ResultRow* row : group.rows) {
    if (row->pending) {
      pending = true;
    } else {
      outcomes.insert(row->outcome);
    }
  }
  std::vector<std::string> words;
  words.reserve(outcomes.size() + 1);
  for (const Outcome outcome : outcomes) {
    // Done, and yet nothing to show: this metric was not measured.
    words.emplace_back(outcome == Outcome::kDone ? "—" : cell_word(outcome));
  }
  if (pending) words.emplace_back("…");
  return join(words, "/");
}

class Pivot {
 public:
  Pivot(const ResultSet& results, const QuerySpec& query, report::Axes axes,
        report::CellStyle style)
      : results_(results), query_(query), axes_(std::move(axes)), style_(std::move(style)) {}

  Result<Table> make() {
    group();
    if (style_.cell.parts.empty()) style_.cell = choose_cell();
    order_ = keys_in_order();
    if (auto sorted = sort(); !sorted) return sorted.error();
    const auto all = order_.size();
    if (query_.limit > 0 && all > static_cast<std::size_t>(query_.limit)) {
      order_.resize(static_cast<std::size_t>(query_.limit));
    }
    Table table;
    table.title = query_.table.title;
    table.columns = headers();
    if (auto filled = fill(table); !filled) return filled.error();
    add_notes(table, all);
    return table;
  }

 private:
  void group() {
    for (const ResultRow& row : results_.rows) {
      for (report::Place& place : axes_.places(row)) {
        columns_.insert(place.column);
        lines_[std::move(place.row)][std::move(place.column)].rows.push_back(&row);
      }
    }
    for (auto& [key, line] : lines_) {
      for (auto& [column, cell] : line) {
        std::vector<const ResultRow*> figures;
        std::copy_if(cell.rows.begin(), cell.rows.end(), std::back_inserter(figures),
                     [](const ResultRow* row) {
                       return !row->pending && row->outcome == Outcome::kDone && row->stats.n > 0;
                     });
        cell.pooled = report::pool(figures);
      }
    }
  }

  CellTemplate choose_cell() const {
    std::vector<report::Pooled> figures;
    for (const auto& [key, line] : lines_) {
      for (const auto& [column, cell] : line) {
        if (cell.pooled.stats.n > 0) figures.push_back(cell.pooled);
      }
    }
    return *parse_cell(report::default_cell(figures, style_));
  }

  std::vector<Key> keys_in_order() const {
    std::vector<Key> keys;
    for (const auto& [key, line] : lines_) keys.push_back(key);
    return keys;
  }

  // The last key first, each time stably: the first key decides, the others break ties.
  Result<void> sort() {
    for (auto key = query_.sort.rbegin(); key != query_.sort.rend(); ++key) {
      if (auto sorted = sort_by(*key); !sorted) return sorted.error();
    }
    return {};
  }

  Result<void> sort_by(const std::string& key) {
    const bool descending = key.starts_with('-');
    const std::string name = descending ? key.substr(1) : key;
    if (axes_.is_constant(name)) return {};
    if (const auto position = axes_.row_position(name)) {
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

  Result<std::map<Key, std::optional<double>>> sort_values(const std::string& name) const {
    const report::CellName* known = report::find_cell_name(name);
    if (known == nullptr || known->kind == report::NameKind::kWord) {
      std::vector<std::string> names = query_.table.rows;
      for (const report::CellName& figure : report::cell_names()) {
        if (figure.kind != report::NameKind::kWord) names.emplace_back(figure.name);
      }
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("sort: `{}` is neither one of the table's rows nor a figure; "
                               "expected one of {}{}",
                               name, join(names, ", "), did_you_mean(name, names))};
    }
    std::map<Key, std::optional<double>> values;
    for (const Key& key : order_) {
      std::optional<double>& value = values[key];
      for (const auto& [column, cell] : lines_.at(key)) {
        auto figure = report::Figures(cell.pooled, style_.unit, style_.convert).get(name);
        if (!figure) return figure.error();
        if (*figure && !std::isnan(**figure)) value = *figure;
        if (value) break;
      }
    }
    return values;
  }

  std::vector<Column> headers() const {
    std::vector<Column> headers = axes_.row_headers();
    const std::string unit = report::value_unit(style_);
    for (const Key& column : columns_) {
      const std::string name = axes_.column_name(column);
      if (!name.empty()) {
        const std::string own = axes_.column_unit(column);
        headers.push_back({name, unit == "1" && !own.empty() ? own : unit, Align::kRight});
        continue;
      }
      const std::string figure = report::template_label(style_.cell);
      // A rate is its own name: "TFLOP/s" says more than "time (TFLOP/s)".
      headers.push_back(figure == unit ? Column{figure, "1", Align::kRight}
                                       : Column{metric(), unit, Align::kRight});
    }
    return headers;
  }

  Result<void> fill(Table& table) {
    for (const Key& key : order_) {
      std::vector<Cell> cells = axes_.row_cells(key);
      const Line& line = lines_.at(key);
      for (const Key& column : columns_) {
        const auto found = line.find(column);
        if (found == line.end()) {
          cells.emplace_back();
          continue;
        }
        const Group& group = found->second;
        footnotes_.add_cell(cell_name(key, column), group.rows, axes_);
        if (group.pooled.stats.n == 0) {
          cells.push_back({word_of(group), std::nullopt});
          continue;
        }
        auto cell = report::figure_cell(group.pooled, style_);
        if (!cell) return cell.error();
        note_count(group.pooled.stats.n);
        cells.push_back(std::move(*cell));
      }
      table.rows.push_back(std::move(cells));
    }
    return {};
  }

  void note_count(std::int64_t n) {
    fewest_ = fewest_ == 0 ? n : std::min(fewest_, n);
    most_ = std::max(most_, n);
  }

  void add_notes(Table& table, std::size_t all_rows) const {
    const std::string caption = report::caption(style_.cell, metric(), fewest_, most_);
    if (!caption.empty()) table.notes.push_back(caption);
    const auto constants = axes_.constants();
    if (!constants.empty()) table.notes.push_back(join(constants, ", "));
    for (const TableSpec::Filter& filter : query_.table.where) {
      table.notes.push_back(fmt::format("only {} = {}", filter.name, join(filter.values, ", ")));
    }
    if (order_.size() < all_rows) {
      table.notes.push_back(fmt::format("the first {} of {} rows", order_.size(), all_rows));
    }
    for (std::string& line : footnotes_.lines()) table.notes.push_back(std::move(line));
  }

  std::string metric() const {
    return report::metric_label(results_.metric.empty() ? "time" : results_.metric);
  }

  std::string cell_name(const Key& row, const Key& column) const {
    std::vector<std::string> parts{axes_.row_name(row), axes_.column_name(column)};
    std::erase(parts, "");
    return join(parts, ", ");
  }

  const ResultSet& results_;
  const QuerySpec& query_;
  report::Axes axes_;
  report::CellStyle style_;
  std::map<Key, Line> lines_;
  std::set<Key> columns_;
  std::vector<Key> order_;  // keys of the shown rows
  report::Footnotes footnotes_;
  std::int64_t fewest_ = 0, most_ = 0;  // samples in a cell
};

}  // namespace

Result<Table> pivot(const ResultSet& results, const QuerySpec& query) {
  auto cell = parse_cell(query.table.cell);
  if (!cell) return cell.error();
  const auto convert = report::conversion(results.unit, query.table.unit);
  if (!convert) return convert.error();
  auto axes = report::Axes::resolve(results, query);
  if (!axes) return axes.error();
  const std::string& shown = query.table.unit.empty() ? results.unit : query.table.unit;
  return Pivot(results, query, std::move(*axes), {std::move(*cell), results.unit, shown, *convert})
      .make();
}

}  // namespace sweepd
