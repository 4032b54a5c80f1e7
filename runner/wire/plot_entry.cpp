#include "runner/wire/messages/plots.h"

namespace sweepd::rpc {

PlotEntry entry_of(const sweepd::Plot& plot) {
  const PlotShape& shape = plot.shape;
  PlotEntry entry{plot.title,    plot.caption, std::string(name_of(shape.mark)),
                  shape.figure,  shape.x,      shape.y,
                  shape.color,   shape.facet,  std::string(name_of(shape.spread)),
                  shape.log_x,   shape.log_y,  shape.band,
                  shape.stacked, plot.data,    {}};
  if (!plot.lines.columns.empty()) entry.lines = plot.lines;
  return entry;
}

Result<sweepd::Plot> plot_of(const PlotEntry& entry) {
  const auto mark = mark_from(entry.mark);
  if (!mark) return mark.error();
  sweepd::Plot plot{{*mark, entry.figure, entry.x, entry.y, entry.color, entry.facet, entry.log_x,
                     entry.log_y, PlotSpread::kNone, entry.band, entry.stacked},
                    entry.title,
                    entry.caption,
                    entry.data,
                    entry.lines.value_or(Table{})};
  if (entry.spread == name_of(PlotSpread::kNone)) return plot;
  const auto spread = spread_from(entry.spread);
  if (!spread) return spread.error();
  plot.shape.spread = *spread;
  return plot;
}

}  // namespace sweepd::rpc
