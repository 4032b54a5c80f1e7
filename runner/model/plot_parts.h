// A plot as a user states it, in a sweep file or on the command line, and the specification made
// from it.
#pragma once

#include <string>
#include <vector>

#include "runner/model/sweep.h"

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

}  // namespace sweepd
