// One value of a table: its results by row and column, their baseline, and its cells.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runner/report/cell/axes.h"
#include "runner/report/cell/cell.h"
#include "runner/report/cell/divided_metric.h"
#include "runner/report/cell/pooling.h"

namespace sweepd::report {

struct CellGroup {
  std::vector<const ResultRow*> rows;    // everything that falls into the cell
  Pooled pooled;                         // of those with a figure
  std::string text;                      // facts that are text; several are joined by "/"
  void add_up(std::string_view metric);  // computes `pooled` and `text` from `rows`
};

// Finds the baseline's point for a cell.
class BaselineGroups {
 public:
  static Result<BaselineGroups> resolve(const ResultSet& results, const TableSpec& table,
                                        const TableSpec::Value& value);
  Axes& axes() { return axes_; }
  const Axes& axes() const { return axes_; }
  // Call after Axes::align; `names` are the table's baseline.
  void group(const std::vector<TableSpec::Filter>& names);
  bool empty() const { return groups_.empty(); }
  void add_cells(UnsaidPooling& pooling) const;

  // `group` is null if there is none. `itself`: the cell, whose group is `own`, is the baseline's.
  struct Found {
    const CellGroup* group = nullptr;
    bool itself = false;
  };
  Found find(const Key& row, const Key& column, const CellGroup* own) const;

 private:
  BaselineGroups(Axes axes, const ResultSet& results)
      : axes_(std::move(axes)), results_(&results) {}
  using Point = std::pair<Key, Key>;
  Point without_names(const Key& row, const Key& column) const;
  // Whether the shown names have their baseline's values here.
  bool is_baseline(const Key& row, const Key& column) const;

  Axes axes_;
  const ResultSet* results_;
  // Whether the value's filters give the names that the table does not show their baseline's
  // values.
  bool hidden_names_agree_ = true;
  // Positions of the shown names in the keys, each with the code of its value.
  std::map<std::size_t, std::uint32_t> row_names_, column_names_;
  std::map<Point, CellGroup> groups_;
};

// A column of figures: a point of the table's columns, and the value shown there.
struct ValueColumn {
  Key key;
  std::size_t table_value = 0;
};

class TableValue {
 public:
  // `value` is complete (complete_values); `baseline` may be null.
  static Result<TableValue> resolve(const TableSpec& table, const TableSpec::Value& value,
                                    const ResultSet& results, const ResultSet* baseline);
  Axes& axes() { return axes_; }
  const Axes& axes() const { return axes_; }
  BaselineGroups* baseline() { return baseline_ ? &*baseline_ : nullptr; }
  const BaselineGroups* baseline() const { return baseline_ ? &*baseline_ : nullptr; }
  // Call after Axes::align. Chooses the cell template if the table leaves it open.
  void group(const std::vector<TableSpec::Filter>& baseline);

  const std::map<Key, std::map<Key, CellGroup>>& lines() const { return lines_; }
  const std::set<Key>& columns() const { return columns_; }
  const CellGroup* find(const Key& row, const Key& column) const;
  const ResultSet& results() const { return *results_; }
  const CellStyle& style() const { return style_; }
  const TableSpec::Value& value() const { return value_; }

  // Adds the cells and those that they are compared with.
  void add_cells(UnsaidPooling& pooling) const;
  // Returns "" if the sweep never had the point.
  Result<Cell> cell(const Key& row, const Key& column) const;
  // Whether a column only compares the baseline with itself.
  bool is_idle(const Key& column) const;
  // Returns the figure to sort by, or nothing if there is none.
  Result<std::optional<double>> figure(const Key& row, const Key& column,
                                       std::string_view name) const;
  // Returns the first figure of the cell's template; "" for words.
  std::string first_figure() const;
  // Whether a figure of the cell is of the mean, and none of the median.
  bool shows_mean() const;
  Partner partner(const Key& row, const Key& column) const;
  // Sets the p value and the kind of a cell's difference from its baseline, which `partner`
  // returns.
  struct Judged {
    std::optional<double> p;
    stats::Change change = stats::Change::kUnclear;
    bool possible = true;  // whether the difference can be judged
  };
  void set_judged(const Key& row, const Key& column, Judged judged) {
    judged_[{row, column}] = judged;
  }
  // Returns the rows of a baseline that gave no comparison, for the notes.
  std::vector<const ResultRow*> failed_baseline(const Key& row, const Key& column) const;

  // Returns the header of this value's columns under `column`.
  Column header(const Key& column) const;
  std::string metric() const;
  // Returns the fewest and most samples of the given cells, for "mean of time, n = 10".
  std::pair<std::int64_t, std::int64_t> counts(const std::vector<Key>& rows) const;

 private:
  TableValue(Axes axes, const TableSpec::Value& value, const ResultSet& results)
      : axes_(std::move(axes)), value_(value), results_(&results) {}
  CellTemplate choose_cell() const;
  // Returns the style's conversion, divided by the metric's divisor at that point.
  Conversion conversion_at(const Key& row, const Key& column) const;

  Axes axes_;
  TableSpec::Value value_;
  const ResultSet* results_;
  CellStyle style_;
  DividedMetric divided_;
  std::optional<BaselineGroups> baseline_;
  std::map<Key, std::map<Key, CellGroup>> lines_;
  std::set<Key> columns_;
  std::map<std::pair<Key, Key>, Judged> judged_;  // by row and column
};

}  // namespace sweepd::report
