#include "runner/daemon/handlers/make_plot.h"

#include "runner/daemon/handlers/make_table.h"
#include "runner/report/plot/plot.h"

namespace sweepd {

Result<Plot> make_plot(Reader& reader, const Catalog& catalog, const PlotSpec& spec,
                       QuerySpec base) {
  const auto def = workload_of(reader, catalog, base);
  if (!def) return def.error();
  if (const auto valid = validate(spec, dimensions_of(**def), (*def)->metrics); !valid) {
    return valid.error();
  }
  const PlotQueries queries = plot_queries(spec, base);
  auto data = make_table(reader, catalog, queries.data);
  if (!data) return data.error();
  Table lines;
  if (queries.lines) {
    auto made = make_table(reader, catalog, *queries.lines);
    if (!made) return made.error();
    lines = std::move(*made);
  }
  return finish_plot(spec, std::move(*data), std::move(lines));
}

}  // namespace sweepd
