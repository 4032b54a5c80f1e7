// Reads back from their rows the plots that a sweep declares.
#include "db/query/declared_table.h"
#include "db/query/state.h"

namespace sweepd {
namespace {

// `query` is at a row of sweep_table_plot: mark, figure, x, y, color, facet, log_x, log_y, spread,
// band, stacked.
Result<PlotShape> shape_of(Query& query) {
  const auto mark = mark_from(query.text(0));
  if (!mark) return mark.error();
  PlotShape shape;
  shape.mark = *mark;
  shape.figure = query.text(1);
  shape.x = query.text(2);
  shape.y = query.text(3);
  shape.color = query.text(4);
  shape.facet = query.text(5);
  shape.log_x = query.integer(6) != 0;
  shape.log_y = query.integer(7) != 0;
  if (query.text(8) != name_of(PlotSpread::kNone)) {
    const auto spread = spread_from(query.text(8));
    if (!spread) return spread.error();
    shape.spread = *spread;
  }
  shape.band = query.integer(9) != 0;
  shape.stacked = query.integer(10) != 0;
  return shape;
}

}  // namespace

Result<std::vector<PlotSpec>> Reader::plots_of(const SweepId& sweep) {
  return state_->ask("reading a sweep's plots", [&]() -> Result<std::vector<PlotSpec>> {
    const auto row = sweep_row(*state_, sweep);
    if (!row) return row.error();
    std::vector<PlotSpec> plots;
    Query query(
        state_->connection,
        "SELECT mark, figure, x, y, color, facet, log_x, log_y, spread, band, stacked, "
        "table_position, lines_position FROM sweep_table_plot WHERE sweep = ? ORDER BY position");
    query.bind(*row);
    while (query.next()) {
      auto shape = shape_of(query);
      if (!shape) return shape.error();
      auto data = declared_table(state_->connection, *row, query.integer(11));
      if (!data) return data.error();
      PlotSpec plot{std::move(*data), {}, std::move(*shape)};
      if (!query.is_null(12)) {
        auto lines = declared_table(state_->connection, *row, query.integer(12));
        if (!lines) return lines.error();
        plot.lines = std::move(*lines);
      }
      plots.push_back(std::move(plot));
    }
    return plots;
  });
}

}  // namespace sweepd
