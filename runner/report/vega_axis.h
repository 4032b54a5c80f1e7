// The channel of a Vega-Lite specification that places the points by their x.
#pragma once

#include "runner/report/plot_points.h"
#include "runner/report/vega_json.h"

namespace sweepd::report {

// The place of the values of x: below the drawing, or down its left side.
enum class XAxis { kAcross, kDown };

// A position of numbers if all values are, else of names in their order.
Json x_of(const PlotPoints& points, const PlotShape& shape, XAxis direction);

}  // namespace sweepd::report
