// The method that makes plots. It also works on a database file without a daemon.
#pragma once

#include "runner/model/plot.h"
#include "runner/wire/messages/rows.h"

namespace sweepd::rpc {

struct PlotEntry {
  static constexpr std::string_view kTitle = "a plot";
  std::string title, caption, mark, figure, x, y, color, facet, spread;
  bool log_x = false, log_y = false, band = false, stacked = false;
  Table data;
  std::optional<Table> lines;
  static void visit(auto& self, auto&& field) {
    field("title", self.title, "");
    field("caption", self.caption, "what the figures are");
    field("mark", self.mark, "`line`, `point`, `bar`, `area`, `heatmap`");
    field("figure", self.figure, "such as `median`");
    field("x", self.x, "a column");
    field("y", self.y, "a column, of a heat map");
    field("color", self.color, "a column, or \"\"");
    field("facet", self.facet, "a column, or \"\"");
    field("spread", self.spread, "`none`, `std`, `ci95`, `min-max`");
    field("log_x", self.log_x, "");
    field("log_y", self.log_y, "");
    field("band", self.band, "the spread is a band, not bars");
    field("stacked", self.stacked, "");
    field("data", self.data, "the columns named, then each figure with its `with` columns");
    field("lines", self.lines, "the same of vertical lines");
  }
};

PlotEntry entry_of(const sweepd::Plot& plot);
// Fails for a mark or a spread that this program does not know.
Result<sweepd::Plot> plot_of(const PlotEntry& entry);

struct Plot {
  static constexpr std::string_view kName = "plot";
  struct Request {
    std::string sweep, workload, plot;
    std::string title, mark = "line", x, y, color, facet, metric, unit, scale, error;
    std::vector<std::string> where, baseline, pool, beside;
    bool stack = false, warmup = false, newest = false;
    static void visit(auto& self, auto&& field) {
      field("sweep", self.sweep, kNamesASweep);
      field("workload", self.workload, "with `x`: all its results, instead of a sweep's");
      field("plot", self.plot, "number from 1, title, or its beginning; all without it");
      field("x", self.x, "a plot that the sweep does not declare: `context`, or `context=Heading`");
      field("y", self.y, "a figure such as `median`; a column of a heat map");
      field("color", self.color, "a column; the figure of a heat map");
      field("facet", self.facet, "a column");
      field("mark", self.mark, "");
      field("title", self.title, "");
      field("metric", self.metric, "");
      field("unit", self.unit, "");
      field("where", self.where, "`[\"model=small,large\"]`");
      field("baseline", self.baseline, "`[\"precision=fp32\"]`");
      field("pool", self.pool, "as of a table");
      field("scale", self.scale, "`log`, `x=log`, `y=log`");
      field("error", self.error, "`std`, `ci95`, `min-max`, each also with `=band`");
      field("beside", self.beside, "`[\"name=Floor,y=floor\"]`");
      field("stack", self.stack, "");
      field("warmup", self.warmup, "");
      field("newest", self.newest, kNewestCounts);
    }
  };
  struct Reply {
    std::vector<PlotEntry> plots;
    static void visit(auto& self, auto&& field) { field("plots", self.plots, ""); }
  };
};

}  // namespace sweepd::rpc
