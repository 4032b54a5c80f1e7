// A finished plot: the daemon's query makes its tables, and the client draws them.
#pragma once

#include <string>
#include <string_view>

#include "runner/base/fields.h"
#include "runner/model/plot_shape.h"
#include "runner/model/table.h"

namespace sweepd {

struct Plot {
  static constexpr std::string_view kTitle = "a plot";
  PlotShape shape;
  std::string title;
  // "median of time, n = 10; bars: standard deviation; batch 4, fp32; NVIDIA H100; 2026-11-26"
  std::string caption;
  // In the layout of runner/report/plot_points.h. The notes are those of `data`.
  Table data;
  Table lines;  // no columns: there are no vertical lines

  static void visit(auto& self, auto&& field) {
    field("title", self.title, "");
    field("caption", self.caption, "what the figures are");
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
