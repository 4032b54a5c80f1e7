// Plots of results: their queries, their checks, and their drawings as a Vega-Lite specification,
// as SVG or as text. Pure, as runner/report/cell/report.h.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/attempt/result_set.h"
#include "runner/model/sweep/plot.h"
#include "runner/model/sweep/sweep.h"
#include "runner/model/vocabulary/metric.h"

namespace sweepd {

// Checks figures, units and the mark's limits. Keys and values of the mistakes are as PlotCheck
// (runner/sweepfile/sweep/sweepfile.h) says. Returns an empty list for a valid plot. `declared` are
// the workload's own metrics.
std::vector<TableMistake> mistakes_in(const PlotSpec& plot,
                                      const std::vector<std::string>& dimensions,
                                      const std::vector<MetricDef>& declared);
// The same check, with all mistakes in one message.
Result<void> validate(const PlotSpec& plot, const std::vector<std::string>& dimensions,
                      const std::vector<MetricDef>& declared);

// The queries of the plot's tables: one row for each point, with the words that the drawing needs
// beside its figure. `query` has the source (workload, sweep) and the order (file_order).
struct PlotQueries {
  QuerySpec data;
  std::optional<QuerySpec> lines;
};
PlotQueries plot_queries(const PlotSpec& plot, const QuerySpec& query);
// Makes the plot from these tables.
Plot finish_plot(const PlotSpec& plot, Table data, Table lines);

// A whole Vega-Lite 5 specification with its data, as indented JSON. Texts of results and titles
// are data in it, never code.
std::string to_vega_lite(const Plot& plot);

// An SVG as a part of a page, which takes the colour of its text from the page and has no script.
// The page has kSvgStyle. A mark has a tooltip.
std::string to_svg(const Plot& plot);
// The style of such an SVG.
inline constexpr std::string_view kSvgStyle =
    "svg.plot text{font:12px system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;"
    "fill:currentColor}svg.plot .title{font-size:14px;font-weight:600}"
    "svg.plot .small{font-size:11px;opacity:.75}svg.plot .strong{font-size:10px;font-weight:700}"
    "svg.plot .grid{stroke:currentColor;stroke-opacity:.13}"
    "svg.plot .axis{stroke:currentColor;stroke-opacity:.5}"
    "svg.plot .curve{fill:none;stroke-width:2;stroke-linejoin:round}"
    "svg.plot .spread{stroke-width:1.2}svg.plot .band{stroke:none;fill-opacity:.2}"
    "svg.plot rect.mark{stroke:none}svg.plot .mark:hover{filter:brightness(1.25)}";
// Such an SVG as a separate file, on white.
std::string svg_file(const std::string& svg);

// For a terminal of `width` columns (0: 80): axes and curves in braille, bars in blocks, a heat map
// in shades. Points without a figure are listed below with their words.
std::string to_text(const Plot& plot, std::size_t width);

}  // namespace sweepd
