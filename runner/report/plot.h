// Plots of results: what must be asked for one, whether it can be drawn, and the drawing itself as
// a Vega-Lite specification or as text. Pure, as runner/report/report.h. Nothing here draws
// pictures: whatever reads Vega-Lite does.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "runner/model/metric.h"
#include "runner/model/plot.h"
#include "runner/model/result_set.h"
#include "runner/model/sweep.h"
#include "runner/model/table_mistake.h"

namespace sweepd {

// Checks figures, units and what a mark can show. Keys and values of the mistakes are as PlotCheck
// (runner/sweepfile/sweepfile.h) says. Returns an empty list for a valid plot. `declared` are the
// metrics of the workload's own.
std::vector<TableMistake> mistakes_in(const PlotSpec& plot,
                                      const std::vector<std::string>& dimensions,
                                      const std::vector<MetricDef>& declared);
// The same check, with all mistakes in one message.
Result<void> validate(const PlotSpec& plot, const std::vector<std::string>& dimensions,
                      const std::vector<MetricDef>& declared);

// The tables to ask for: one row for each point, with whatever the drawing needs beside its figure.
// `query` says whose results (workload, sweep) and in which order (file_order).
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

// For a terminal of `width` columns (0: 80): axes and curves in braille, bars in blocks, a heat map
// in shades. Points without a figure are listed below with their words.
std::string to_text(const Plot& plot, std::size_t width);

}  // namespace sweepd
