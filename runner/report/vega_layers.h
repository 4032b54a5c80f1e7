// The layers of a Vega-Lite specification: marks with their encodings.
#pragma once

#include <cstddef>

#include "runner/report/plot_points.h"
#include "runner/report/vega_json.h"

namespace sweepd::report {

// Returns {"width", "height", "layer": [...]}. `lanes` is how many words stand below each other at
// one x; the rows of the data have the fields part, x, y, row, color, series, low, high, word,
// lane.
Json layers_of(const PlotShape& shape, const PlotPoints& points, std::size_t lanes, bool faceted);

}  // namespace sweepd::report
