// Stores the plots that a sweep declares as rows. db/query/plots.cpp reads them back.
#pragma once

#include <cstdint>
#include <vector>

#include "db/base/connection.h"
#include "runner/model/sweep.h"

namespace sweepd {

// Call after insert_tables, with the number of the sweep's tables: the tables of the plots are
// stored behind them.
void insert_plots(Connection& connection, std::int64_t sweep, std::size_t tables,
                  const std::vector<PlotSpec>& plots);

}  // namespace sweepd
