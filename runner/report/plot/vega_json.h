// The parts of Vega-Lite specifications: their look, title and text, and the layers of a plot.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "runner/report/plot/plot_points.h"

namespace sweepd::report {

using Json = nlohmann::ordered_json;

inline constexpr const char* kVegaLiteSchema = "https://vega.github.io/schema/vega-lite/v5.json";

Json vega_config();

// The heading of a drawing that is `pixels` wide. Vega cuts off wider text, so both texts are
// broken into lines. `subtitle` may be empty.
Json vega_title(const std::string& title, const std::string& subtitle, double pixels);

// The specification as indented JSON, always UTF-8 and without control characters.
std::string dump_vega(Json specification);

// Returns {"width", "height", "layer": [...]}. `lanes` is how many words stand below each other at
// one x; the rows of the data have the fields part, x, y, row, color, series, low, high, word,
// lane.
Json layers_of(const PlotShape& shape, const PlotPoints& points, std::size_t lanes, bool faceted);

}  // namespace sweepd::report
