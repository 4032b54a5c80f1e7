// Vega-Lite specifications. Fields of the data have fixed names (x, y, color ...), so that no name
// or text of a result is read as part of an expression.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "runner/base/text.h"
#include "runner/report/cell/layout.h"
#include "runner/report/plot/plot.h"
#include "runner/report/plot/plot_points.h"
#include "runner/report/plot/vega_json.h"

namespace sweepd {
namespace {

using report::Json;
using report::PlotPoint;
using report::PlotPoints;

void put(Json& row, const char* name, const std::string& text) {
  if (!text.empty()) row[name] = text;
}

// Several series may lack a figure at one x. Their words stand below each other, one lane for each.
class Lanes {
 public:
  std::size_t next(const PlotPoint& point) { return used_[{point.facet, point.x}]++; }

 private:
  std::map<std::pair<std::string, std::string>, std::size_t> used_;
};

Json row_of(const PlotPoint& point, const Plot& plot, const PlotPoints& points) {
  Json row = Json::object();
  row["part"] = !point.figure ? "word" : point.series.empty() ? "figure" : "beside";
  put(row, "facet", point.facet);
  put(row, "color", point.color);
  if (points.numeric_x && !plot.shape.has_categories()) {
    row["x"] = *point.x_number;
  } else {
    row["x"] = point.x;
  }
  if (plot.shape.is_heatmap()) row["row"] = point.y;
  if (point.figure) row["y"] = *point.figure;
  if (point.low) row["low"] = *point.low;
  if (point.high) row["high"] = *point.high;
  row["series"] = point.series.empty() ? points.figure_title : point.series;
  put(row, "word", point.word);
  put(row, "shown", point.shown);
  put(row, "n", point.n);
  put(row, "verdict", point.verdict);
  put(row, "outcome", point.outcome);
  put(row, "attempt", point.attempt);
  return row;
}

// On a log scale there is no place for zero and below. An error bar that would reach there ends at
// the least figure shown.
void fit_to_log(const Plot& plot, PlotPoints& points) {
  points.leave_out_misplaced(plot.shape);
  if (!plot.shape.log_y) return;
  double least = 0;
  for (const PlotPoint& point : points.points) {
    if (point.figure && (least == 0 || *point.figure < least)) least = *point.figure;
  }
  for (PlotPoint& point : points.points) {
    if (point.low && *point.low <= 0) point.low = least;
  }
}

Json data_of(const Plot& plot, const PlotPoints& points, std::size_t& lanes) {
  Json values = Json::array();
  Lanes next;
  for (const PlotPoint& point : points.points) {
    Json row = row_of(point, plot, points);
    if (!point.figure) {
      const std::size_t lane = next.next(point);
      row["lane"] = lane;
      lanes = std::max(lanes, lane + 1);
    }
    values.push_back(std::move(row));
  }
  for (const report::PlotLine& line : points.lines) {
    Json row = {{"part", "line"}, {"x", line.x}, {"series", line.name}};
    put(row, "facet", line.facet);
    put(row, "color", line.color);
    values.push_back(std::move(row));
  }
  return {{"values", std::move(values)}};
}

constexpr double kLegend = 80;  // pixels beside the drawing

Json title_of(const Plot& plot, const PlotPoints& points, double pixels) {
  std::string caption = plot.caption;
  // A single facet needs no heading.
  if (points.facets.size() == 1 && !points.facets.front().empty()) {
    caption += fmt::format("; {}: {}", points.facet_title, points.facets.front());
  }
  return report::vega_title(plot.title.empty() ? caption : plot.title,
                            plot.title.empty() ? "" : caption, pixels);
}

}  // namespace

std::string to_vega_lite(const Plot& plot) {
  PlotPoints points(plot);
  fit_to_log(plot, points);
  std::size_t lanes = 0;
  Json spec = Json::object();
  spec["$schema"] = report::kVegaLiteSchema;
  spec["title"] = nullptr;  // its place; it depends on the drawing
  spec["data"] = data_of(plot, points, lanes);
  const bool faceted = !plot.shape.facet.empty() && points.facets.size() > 1;
  Json drawing = report::layers_of(plot.shape, points, lanes, faceted);
  const std::size_t columns = faceted ? std::min<std::size_t>(points.facets.size(), 3) : 1;
  const double width = drawing["width"].get<double>() * static_cast<double>(columns);
  const bool legend = !plot.shape.color.empty() || plot.shape.is_heatmap();
  spec["title"] = title_of(plot, points, width + (legend ? kLegend : 0));
  if (faceted) {
    spec["facet"] = {{"field", "facet"},
                     {"type", "nominal"},
                     {"sort", points.facets},
                     {"header", {{"title", points.facet_title}}}};
    spec["columns"] = columns;
    spec["spec"] = std::move(drawing);
  } else {
    spec.update(drawing);
  }
  spec["config"] = report::vega_config();
  return report::dump_vega(std::move(spec));
}

}  // namespace sweepd
