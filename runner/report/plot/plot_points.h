// The points of a plot, read from its tables. The columns of Plot::data are, in this order: the
// dimensions of facet, color, (of a heat map) y, and x, those that the plot has; then for its own
// figure, for each bound of the spread (std and ci95 have one, min-max two) and for each series
// beside a block of one column for the figure and one for each of plot_words(). Plot::lines has the
// columns of facet and color, then a block for each line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runner/model/sweep/plot.h"

namespace sweepd::report {

// How many columns of a terminal the widest of these texts takes; 0 without any.
std::size_t widest(const std::vector<std::string>& texts);

// The words to read with each figure (QuerySpec::with).
const std::vector<std::string>& plot_words();

struct PlotPoint {
  std::string facet, color, y, x;           // texts; "" where the plot has no such channel
  std::optional<double> x_number;           // if the dimension is numeric
  std::string series;                       // its name beside the plot's own, which is ""
  std::optional<double> figure, low, high;  // the ends of the spread, if it is known
  std::string word;                         // shown in place of a figure: "OOM", "invalid", "…"
  std::string shown, n, verdict, outcome, attempt;
};

struct PlotLine {
  std::string facet, color, name;
  double x = 0;
};

struct PlotPoints {
  explicit PlotPoints(const Plot& plot);

  // False for zero and below on a log scale.
  bool has_place(const PlotShape& shape, const PlotPoint& point) const;
  // Skips points without a place, and each x without a point.
  void leave_out_misplaced(const PlotShape& shape);

  std::string x_title, y_title, color_title, facet_title;
  std::string figure_title;  // with its unit: "time (ms)"
  std::vector<PlotPoint> points;
  std::vector<PlotLine> lines;
  std::vector<std::string> xs, ys, colors, facets, series;  // each value once, in display order
  bool numeric_x = false;                                   // every x is a number
  bool bytes_x = false;  // and all of them are sizes such as 64KB
};

}  // namespace sweepd::report
