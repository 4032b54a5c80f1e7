// The channel of a Vega-Lite specification that places the points by their x.
#pragma once

#include <nlohmann/json.hpp>

#include "runner/report/plot_points.h"

namespace sweepd::report {

using Json = nlohmann::ordered_json;

// Where the values of x stand: below the drawing, or down its left side.
enum class XAxis { kAcross, kDown };

// A position of numbers if all values are, else of names in their order.
Json x_of(const PlotPoints& points, const PlotShape& shape, XAxis direction);

}  // namespace sweepd::report
