#include "db/store/insert_plots.h"

#include <optional>

#include "db/store/insert_tables.h"

namespace sweepd {

void insert_plots(Connection& connection, std::int64_t sweep, std::size_t tables,
                  const std::vector<PlotSpec>& plots) {
  auto next_table = static_cast<std::int64_t>(tables);
  std::int64_t position = 0;
  for (const PlotSpec& plot : plots) {
    const std::int64_t data = next_table++;
    insert_table(connection, sweep, data, plot.data);
    std::optional<std::int64_t> lines;
    if (!plot.lines.values.empty()) {
      lines = next_table++;
      insert_table(connection, sweep, *lines, plot.lines);
    }
    const PlotShape& shape = plot.shape;
    Query(connection,
          "INSERT INTO sweep_table_plot VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind_all(sweep, position++, data, lines, name_of(shape.mark), shape.figure, shape.x,
                  shape.y, shape.color, shape.facet, shape.log_x ? 1 : 0, shape.log_y ? 1 : 0,
                  name_of(shape.spread), shape.band ? 1 : 0, shape.stacked ? 1 : 0)
        .run();
  }
}

}  // namespace sweepd
