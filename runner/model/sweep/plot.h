// A plot as a user states it, in a sweep file or on the command line, the specification made from
// it, and the finished plot.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner/base/fields.h"
#include "runner/model/sweep/plot_shape.h"
#include "runner/model/sweep/sweep.h"
#include "runner/model/sweep/table.h"

namespace sweepd {

struct PlotParts {
  struct Channel {
    std::string name;  // of a dimension or a figure; "" if the plot has no such channel
    std::string text;  // shown by the axis or legend instead; "" is the name
  };
  // A series beside the plot's own: a figure over x, or a vertical line at a figure. One of the two
  // is given.
  struct Beside {
    std::string name, x, y, metric, unit;
    std::vector<TableSpec::Filter> where;
  };

  std::string title;
  PlotMark mark = PlotMark::kLine;
  Channel x, y, color, facet;
  std::string metric, unit;
  std::vector<TableSpec::Filter> where, baseline;
  std::vector<std::string> pool;
  bool warmup = false;
  bool log_x = false, log_y = false;
  PlotSpread spread = PlotSpread::kNone;
  bool band = false, stacked = false;
  std::vector<Beside> beside;
};

PlotSpec compose_plot(const PlotParts& parts);

// The daemon's query makes its tables, and the client draws them.
struct Plot {
  static constexpr std::string_view kTitle = "a plot";
  PlotShape shape;
  std::string title;
  // "median of time, n = 10; bars: standard deviation; batch 4, fp32; NVIDIA H100; 2026-11-26"
  std::string caption;
  // In the layout of runner/report/plot/plot_points.h. The notes are those of `data`.
  Table data;
  Table lines;  // no columns: there are no vertical lines

  static void visit(auto& self, auto&& field) {
    field("title", self.title, "");
    field("caption", self.caption, "statistic, common parameters, device, date");
    field("mark", self.shape.mark, "`line`, `point`, `bar`, `area`, `heatmap`");
    field("figure", self.shape.figure, "such as `median`");
    field("x", self.shape.x, "a column");
    field("y", self.shape.y, "a column, of a heat map");
    field("color", self.shape.color, "a column, or \"\"");
    field("facet", self.shape.facet, "a column, or \"\"");
    field("spread", self.shape.spread, "`none`, `std`, `ci95`, `min-max`");
    field("log_x", self.shape.log_x, "");
    field("log_y", self.shape.log_y, "");
    field("band", self.shape.band, "the spread is a band, not bars");
    field("stacked", self.shape.stacked, "");
    field("data", self.data, "the columns named, then each figure with its `with` columns");
    field("lines", self.lines, "the same of vertical lines", Sparse());
  }
};

}  // namespace sweepd
