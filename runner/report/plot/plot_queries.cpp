#include <fmt/format.h>

#include <algorithm>

#include "runner/base/text.h"
#include "runner/model/vocabulary/cell_name.h"
#include "runner/report/cell/cell.h"
#include "runner/report/cell/cell_format.h"
#include "runner/report/plot/plot.h"
#include "runner/report/plot/plot_points.h"

namespace sweepd {
namespace {

// Stands for the rows of a table of vertical lines without dimensions.
constexpr const char* kAnyRow = "pass";

std::vector<TableSpec::Value> bounds_of(const PlotSpec& plot) {
  const auto bound = [&](const char* name, const char* cell) {
    return TableSpec::Value{name, cell, "", "", {}, {}, {}};
  };
  switch (plot.shape.spread) {
    case PlotSpread::kNone:
      return {};
    case PlotSpread::kStd:
      return {bound("standard deviation", "{std}")};
    case PlotSpread::kCi95:
      return {bound("95 % interval", "{ci95}")};
    case PlotSpread::kMinMax:
      return {bound("min", "{min}"), bound("max", "{max}")};
  }
  return {};
}

std::string spread_text(const PlotShape& shape) {
  const char* form = shape.band ? "band" : "bars";
  switch (shape.spread) {
    case PlotSpread::kNone:
      return "";
    case PlotSpread::kStd:
      return fmt::format("; {}: ± one standard deviation", form);
    case PlotSpread::kCi95:
      return fmt::format("; {}: 95 % interval of the mean", form);
    case PlotSpread::kMinMax:
      return fmt::format("; {}: from min to max", form);
  }
  return "";
}

// "n = 10", "n = 5 to 10"; "" if no point has a figure.
std::string counts_of(const report::PlotPoints& points) {
  std::string fewest, most;
  const auto less = [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;  // "9" before "1,000"
  };
  for (const report::PlotPoint& point : points.points) {
    if (!point.series.empty() || !point.figure) continue;
    if (fewest.empty() || less(point.n, fewest)) fewest = point.n;
    if (most.empty() || less(most, point.n)) most = point.n;
  }
  if (fewest.empty()) return "";
  return fewest == most ? "n = " + most : fmt::format("n = {} to {}", fewest, most);
}

// "; 2 points at zero or below have no place on the log scale"
std::string left_out_text(const PlotShape& shape, const report::PlotPoints& points) {
  const auto count = static_cast<std::size_t>(std::count_if(
      points.points.begin(), points.points.end(),
      [&](const report::PlotPoint& point) { return !points.has_place(shape, point); }));
  if (count == 0) return "";
  return fmt::format("; {} at zero or below {} no place on the log scale",
                     report::counted(count, "point"), count == 1 ? "has" : "have");
}

// "median of time, phase = forward, n = 10; bars: from min to max". `said` are filters that need no
// mention.
std::string caption_of(const PlotSpec& plot, const report::PlotPoints& points,
                       const std::vector<Table::Constant>& said) {
  const std::string& metric = plot.data.metric;
  const CellName* figure = find_cell_name(plot.shape.figure);
  const bool labelled = figure != nullptr && !figure->label.empty();
  const bool rate = figure != nullptr && figure->kind == NameKind::kDerived;
  std::vector<std::string> parts{
      fmt::format("{} {} {}", labelled ? std::string(figure->label) : plot.shape.figure,
                  rate ? "by" : "of", report::metric_label(metric.empty() ? "time" : metric))};
  for (const TableSpec::Filter& filter : plot.data.where) {
    if (filter.name == "phase" && filter.values == std::vector<std::string>{"step"}) continue;
    if (std::ranges::any_of(said, [&](const auto& each) { return each.name == filter.name; })) {
      continue;
    }
    parts.push_back(fmt::format("{} = {}", filter.name, join(filter.values, ", ")));
  }
  for (const TableSpec::Filter& name : plot.data.baseline) {
    parts.push_back(fmt::format("compared with {} = {}", name.name, join(name.values, ", ")));
  }
  const std::string counts = counts_of(points);
  if (!counts.empty()) parts.push_back(counts);
  return join(parts, ", ") + spread_text(plot.shape) + left_out_text(plot.shape, points);
}

}  // namespace

PlotQueries plot_queries(const PlotSpec& plot, const QuerySpec& query) {
  PlotQueries queries{query, {}};
  queries.data.drawn = true;
  queries.data.table = plot.data;
  queries.data.with = report::plot_words();
  std::vector<TableSpec::Value>& values = queries.data.table.values;
  const auto bounds = bounds_of(plot);
  values.insert(values.begin() + 1, bounds.begin(), bounds.end());
  if (plot.lines.values.empty()) return queries;
  queries.lines = query;
  queries.lines->drawn = true;
  queries.lines->table = plot.lines;
  queries.lines->with = report::plot_words();
  if (plot.lines.rows.empty()) queries.lines->table.rows = {kAnyRow};
  return queries;
}

Plot finish_plot(const PlotSpec& plot, Table data, Table lines) {
  Plot finished{plot.shape, plot.data.title, "", std::move(data), std::move(lines)};
  if (plot.lines.rows.empty() && !finished.lines.columns.empty()) {
    Table& table = finished.lines;
    table.columns.erase(table.columns.begin());
    for (auto& row : table.rows) row.erase(row.begin());
  }
  finished.caption = caption_of(plot, report::PlotPoints(finished), finished.data.constants);
  if (!finished.data.caption.empty()) finished.caption += "; " + finished.data.caption;
  return finished;
}

}  // namespace sweepd
