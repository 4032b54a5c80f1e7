// The drawings of a plot in a terminal; runner/report/plot/plot.h puts titles and words around
// them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runner/report/plot/plot_points.h"

namespace sweepd::report {

using PlotPointList = std::vector<const PlotPoint*>;  // of one facet

// Curves and points over two axes.
std::string curves_text(const PlotShape& shape, const PlotPoints& all, const PlotPointList& points,
                        std::size_t width);
// A line for each bar.
std::string bars_text(const PlotPoints& all, const PlotPointList& points, std::size_t width);
// A shade and a number for each cell.
std::string heatmap_text(const PlotPoints& all, const PlotPointList& points);

}  // namespace sweepd::report
