// A finished plot: the daemon's query makes its tables, and the client draws them.
#pragma once

#include <string>

#include "runner/model/plot_shape.h"
#include "runner/model/table.h"

namespace sweepd {

struct Plot {
  PlotShape shape;
  std::string title;
  // "median of time, n = 10; bars: standard deviation; batch 4, fp32; NVIDIA H100; 2026-11-26"
  std::string caption;
  // In the layout of runner/report/plot_points.h. The notes are those of `data`.
  Table data;
  Table lines;  // no columns: there are no vertical lines
};

}  // namespace sweepd
