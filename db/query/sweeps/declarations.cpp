// The tables and plots that a sweep declares.
#include "db/base/sweep_declarations.h"
#include "db/query/state.h"

namespace sweepd {

Result<std::vector<TableSpec>> Reader::tables_of(const SweepId& sweep) {
  return state_->ask("reading a sweep's tables", [&]() -> Result<std::vector<TableSpec>> {
    const auto row = sweep_row(*state_, sweep);
    if (!row) return row.error();
    return read_declared_tables(state_->connection, *row);
  });
}

Result<std::vector<PlotSpec>> Reader::plots_of(const SweepId& sweep) {
  return state_->ask("reading a sweep's plots", [&]() -> Result<std::vector<PlotSpec>> {
    const auto row = sweep_row(*state_, sweep);
    if (!row) return row.error();
    return read_declared_plots(state_->connection, *row);
  });
}

}  // namespace sweepd
