// Stores as rows the plots that a sweep declares. db/query/plots.cpp reads them back.
#pragma once

#include <cstdint>
#include <vector>

#include "db/base/connection.h"
#include "runner/model/sweep.h"

namespace sweepd {

// Call after insert_tables, with the number of the sweep's tables: the plots' tables come after
// them.
void insert_plots(Connection& connection, std::int64_t sweep, std::size_t tables,
                  const std::vector<PlotSpec>& plots);

}  // namespace sweepd
