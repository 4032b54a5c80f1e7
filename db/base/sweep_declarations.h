// The tables and plots that sweeps declare, in the table `sweep_declaration`. These throw
// SQLite::Exception.
#pragma once

#include <cstdint>
#include <vector>

#include "db/base/connection.h"
#include "runner/model/sweep/sweep.h"

namespace sweepd {

// Call inside the transaction that inserted the sweep's row.
void insert_declarations(Connection& connection, std::int64_t sweep, const Sweep& declared);

// In the order of the sweep file. Error: one that no sweepd of this version wrote.
Result<std::vector<TableSpec>> read_declared_tables(Connection& connection, std::int64_t sweep);
Result<std::vector<PlotSpec>> read_declared_plots(Connection& connection, std::int64_t sweep);

}  // namespace sweepd
