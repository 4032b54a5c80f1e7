// A sweep after parsing: plain values, each validated against the catalog.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runner/base/units.h"
#include "runner/model/sweep/plot_shape.h"
#include "runner/model/sweep/trial.h"
#include "runner/model/vocabulary/catalog.h"

namespace sweepd {

// Limit on the size of one sweep file.
inline constexpr std::size_t kMaxSweepBytes = std::size_t{1} << 20;

// A parameter by its index in WorkloadDef::params.
struct Setting {
  std::size_t param = 0;
  Value value;
};
struct Axis {
  std::size_t param = 0;
  std::vector<Value> values;
};
// Lists of equal length that advance together.
struct ZipGroup {
  std::vector<Axis> axes;
};
// Excludes a trial when every key matches; a key matches when the trial's value is in its list.
struct ExcludeRule {
  std::vector<Axis> keys;
  int line = 0;  // in the sweep file, for `plan`
};

enum class Order { kInterleaved, kSequential, kShuffled };
std::string_view name_of(Order order);
Result<Order> order_from(std::string_view name);

// The bold cells. Of a comparison: those that are faster (slower, either) than the baseline,
// as `sweepctl compare` judges it (runner/report/notes/significance.h). In each row or column of a
// value's cells: the best ones, if the metric defines whether small or large figures are better.
enum class Bold {
  kNone,
  kFaster,
  kSlower,
  kChanged,
  kBestInRow,
  kSmallestInRow,
  kLargestInRow,
  kBestInColumn,
  kSmallestInColumn,
  kLargestInColumn,
};
std::string_view name_of(Bold bold);  // "none", "faster", "best_in_row" ...
Result<Bold> bold_from(std::string_view name);
const std::vector<std::string>& bold_names();

// The cells among which a bold one is chosen.
enum class BoldScope { kNone, kBaseline, kRow, kColumn };
BoldScope scope_of(Bold bold);

// A table that a sweep file declares. Names are parameters or the columns that every result has:
// phase, pass, metric, step, repeat, rank, outcome, verdict, host, device_name ...
// (docs/DATABASE.md).
struct TableSpec {
  std::string title;
  std::vector<std::string> rows;
  std::vector<std::string> columns;
  std::string cell;    // "{mean:.1f} ± {std:.1f}"; "" lets the reporter choose by unit
  std::string metric;  // "" is `time`
  std::string unit;    // "" is the metric's own
  struct Filter {
    std::string name;
    std::vector<std::string> values;
    bool operator==(const Filter&) const = default;
    static void visit(auto& self, auto&& field) {
      field("name", self.name, "");
      field("values", self.values, "");
    }
  };
  std::vector<Filter> where;
  bool warmup = false;  // with `step` among rows or columns: list warm-up steps too
  Bold bold = Bold::kNone;

  // Shown by the header instead of the name of a row or column.
  struct Heading {
    std::string name;
    std::string text;
    bool operator==(const Heading&) const = default;
    static void visit(auto& self, auto&& field) {
      field("name", self.name, "");
      field("text", self.text, "");
    }
  };
  std::vector<Heading> headings;

  // Figures side by side, each with its own columns. A value inherits unstated keys from the table.
  // Its `where` replaces the table's filters of the same names and is added to the
  // others.
  struct Value {
    std::string name;  // heads its columns; "" means the metric
    std::string cell;
    std::string metric;
    std::string unit;
    std::vector<Filter> where;
    std::optional<bool> warmup;
    std::optional<Bold> bold;
    bool operator==(const Value&) const = default;
    static void visit(auto& self, auto&& field) {
      field("name", self.name, "");
      field("cell", self.cell, "");
      field("metric", self.metric, "");
      field("unit", self.unit, "");
      field("where", self.where, "");
      field("warmup", self.warmup, "");
      field("bold", self.bold, "");
    }
  };
  std::vector<Value> values;

  // Every cell is compared with the cell at the same point except for these names, which have one
  // value each.
  std::vector<Filter> baseline;

  // Parameters over which a cell may pool results of different trials; `all` means any of them.
  // Repeats of one trial are pooled anyway.
  std::vector<std::string> pool;

  std::vector<std::string> sort;  // row, statistic or value names, "-" in front for descending
  std::int64_t limit = 0;         // rows; 0 means all

  // Rows whose figure of the value with this name is below the number are added up in one row.
  struct Rest {
    std::string value;
    double below = 0;
    bool operator==(const Rest&) const = default;
    static void visit(auto& self, auto&& field) {
      field("value", self.value, "");
      field("below", self.below, "");
    }
  };
  std::optional<Rest> rest;
  bool operator==(const TableSpec&) const = default;
  // As the database stores it (db/base/declaration_json.h).
  static void visit(auto& self, auto&& field) {
    field("title", self.title, "");
    field("rows", self.rows, "");
    field("columns", self.columns, "");
    field("cell", self.cell, "");
    field("metric", self.metric, "");
    field("unit", self.unit, "");
    field("where", self.where, "");
    field("warmup", self.warmup, "");
    field("bold", self.bold, "");
    field("headings", self.headings, "");
    field("values", self.values, "");
    field("baseline", self.baseline, "");
    field("pool", self.pool, "");
    field("sort", self.sort, "");
    field("limit", self.limit, "");
    field("rest", self.rest, "");
  }
};

// Returns `filters` with those of `over`, which replace the ones of the same names.
std::vector<TableSpec::Filter> merge_filters(std::vector<TableSpec::Filter> filters,
                                             const std::vector<TableSpec::Filter>& over);

// A plot that a sweep file declares.
struct PlotSpec {
  // Its figures, as a table in long form. Its rows are the dimensions of facet, color, (of a heat
  // map) y, and x, in this order; its values are the plot's own figure and those beside it.
  TableSpec data;
  // The figures at which vertical lines stand, by facet and color; no values if there are none.
  TableSpec lines;
  PlotShape shape;
  bool operator==(const PlotSpec&) const = default;
  static void visit(auto& self, auto&& field) {
    field("data", self.data, "");
    field("lines", self.lines, "");
    field("shape", self.shape, "");
  }
};

// Calls `f(param, value)` for each value that a sweep gives a parameter: in its params, axes and
// include points, not in its rules.
template <class AnySweep, class F>
void each_value(AnySweep& sweep, const F& f) {
  const auto of_axis = [&](auto& axis) {
    for (auto& value : axis.values) f(axis.param, value);
  };
  for (auto& setting : sweep.params) f(setting.param, setting.value);
  for (auto& axis : sweep.matrix) of_axis(axis);
  for (auto& group : sweep.zip) {
    for (auto& axis : group.axes) of_axis(axis);
  }
  for (auto& point : sweep.include) {
    for (auto& setting : point) f(setting.param, setting.value);
  }
}

struct Sweep {
  std::string name;
  std::string description;
  std::string workload;
  std::vector<Pass> passes{Pass::kTiming};
  std::vector<Setting> params;
  std::vector<Axis> matrix;
  std::vector<ZipGroup> zip;
  std::vector<ExcludeRule> exclude;
  std::vector<std::vector<Setting>> include;
  Order order = Order::kInterleaved;
  Duration sentinel{0};  // how often the sentinel runs (runner/model/sweep/sentinel.h); 0: never
  // Whether points at least as large as one that ran out of memory are skipped
  // (runner/model/sweep/frontier.h).
  bool frontier = true;
  std::vector<TableSpec> tables;
  // The definition (model/vocabulary/program.h), if the file declares the workload; else the
  // catalog has it.
  std::shared_ptr<const WorkloadDef> program;
  std::vector<PlotSpec> plots;
  std::string source;  // the document's text as submitted, for `show` and reproduction
};

// Returns the parameters that the sweep declares as axes, even with one value: those of matrix, zip
// groups and include points, in this order, each once.
std::vector<std::size_t> axes_of(const Sweep& sweep);

// A mistake in a table of a sweep file, with the key where it is, so that a message can point
// there.
struct TableMistake {
  std::string key;                   // "rows", "cell", "unit" ...
  std::optional<std::size_t> value;  // index into the table's `values`; empty: the table itself
  std::string message;               // complete: names the key and the expected form
};

}  // namespace sweepd
