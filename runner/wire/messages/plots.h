// The method that makes plots. It also works on a database file without a daemon.
#pragma once

#include "runner/model/sweep/plot.h"
#include "runner/wire/messages/rows.h"

namespace sweepd {

inline Result<void> read_message(const nlohmann::json& value, PlotMark& out) {
  return read_name(value, &mark_from, out);
}
inline Result<void> read_message(const nlohmann::json& value, PlotSpread& out) {
  if (value != "none") return read_name(value, &spread_from, out);
  out = PlotSpread::kNone;
  return {};
}

namespace rpc {

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
    std::vector<sweepd::Plot> plots;
    static void visit(auto& self, auto&& field) { field("plots", self.plots, ""); }
  };
};

}  // namespace rpc
}  // namespace sweepd
