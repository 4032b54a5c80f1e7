// How a plot draws its figures. A table defines the figures (PlotSpec, runner/model/sweep/sweep.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner/base/result.h"

namespace sweepd {

// A heat map has dimensions on both axes and the figure as its colour; all others have the figure
// as y.
enum class PlotMark { kLine, kPoint, kBar, kArea, kHeatmap };
std::string_view name_of(PlotMark mark);  // "line", "point", "bar", "area", "heatmap"
Result<PlotMark> mark_from(std::string_view name);
const std::vector<std::string>& mark_words();

// The extent of the error bars.
enum class PlotSpread {
  kNone,
  kStd,     // the figure ± the standard deviation of the samples
  kCi95,    // the figure ± half of the mean's 95 % interval, over the attempts
  kMinMax,  // from the smallest sample to the largest
};
std::string_view name_of(PlotSpread spread);  // "none", "std", "ci95", "min-max"
Result<PlotSpread> spread_from(std::string_view name);
const std::vector<std::string>& spread_words();  // without "none"

struct PlotShape {
  PlotMark mark = PlotMark::kLine;
  std::string figure;        // "median": the figure on y, or the colour of a heat map
  std::string x;             // a dimension
  std::string y;             // a dimension, of a heat map only
  std::string color, facet;  // dimensions; "" if there is none; a heat map has no such colour
  bool log_x = false, log_y = false;
  PlotSpread spread = PlotSpread::kNone;
  bool band = false;     // the spread as a band instead of bars
  bool stacked = false;  // bars on top of each other instead of side by side; areas are anyway

  bool is_heatmap() const { return mark == PlotMark::kHeatmap; }
  // Whether x lists values of any kind side by side.
  bool has_categories() const { return mark == PlotMark::kBar || is_heatmap(); }

  bool operator==(const PlotShape&) const = default;
  static void visit(auto& self, auto&& field) {
    field("mark", self.mark, "");
    field("figure", self.figure, "");
    field("x", self.x, "");
    field("y", self.y, "");
    field("color", self.color, "");
    field("facet", self.facet, "");
    field("log_x", self.log_x, "");
    field("log_y", self.log_y, "");
    field("spread", self.spread, "");
    field("band", self.band, "");
    field("stacked", self.stacked, "");
  }
};

}  // namespace sweepd
