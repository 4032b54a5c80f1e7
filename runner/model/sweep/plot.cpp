#include "runner/model/sweep/plot.h"

namespace sweepd {
namespace {

TableSpec::Value value_of(const PlotParts::Beside& beside, const std::string& figure) {
  return {beside.name, "{" + figure + "}", beside.metric, beside.unit, beside.where, {}, {}};
}

void add_row(TableSpec& table, const PlotParts::Channel& channel) {
  if (channel.name.empty()) return;
  table.rows.push_back(channel.name);
  if (!channel.text.empty()) table.headings.push_back({channel.name, channel.text});
}

}  // namespace

PlotSpec compose_plot(const PlotParts& parts) {
  PlotSpec plot;
  const bool heatmap = parts.mark == PlotMark::kHeatmap;
  const PlotParts::Channel& figure = heatmap ? parts.color : parts.y;
  const PlotParts::Channel series = heatmap ? PlotParts::Channel{} : parts.color;
  plot.shape = {parts.mark,   figure.name,      parts.x.name, heatmap ? parts.y.name : "",
                series.name,  parts.facet.name, parts.log_x,  parts.log_y,
                parts.spread, parts.band,       parts.stacked};

  TableSpec& data = plot.data;
  data.title = parts.title;
  data.metric = parts.metric;
  data.unit = parts.unit;
  data.where = parts.where;
  data.pool = parts.pool;
  add_row(data, parts.facet);
  add_row(data, series);
  plot.lines = data;  // vertical lines have no x
  data.warmup = parts.warmup;
  data.baseline = parts.baseline;
  if (heatmap) add_row(data, parts.y);
  add_row(data, parts.x);
  data.values.push_back({figure.text, "{" + figure.name + "}", "", "", {}, {}, {}});
  for (const PlotParts::Beside& beside : parts.beside) {
    if (beside.x.empty()) {
      data.values.push_back(value_of(beside, beside.y));
    } else {
      plot.lines.values.push_back(value_of(beside, beside.x));
    }
  }
  if (plot.lines.values.empty()) plot.lines = {};
  return plot;
}

}  // namespace sweepd
