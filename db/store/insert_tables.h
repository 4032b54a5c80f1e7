// The tables that a sweep declares -> their rows. db/query/tables.cpp puts them together again.
#pragma once

#include <cstdint>
#include <vector>

#include "db/connection.h"
#include "runner/model/sweep.h"

namespace sweepd {

// Inside the transaction that inserted the sweep's row.
void insert_tables(Connection& connection, std::int64_t sweep,
                   const std::vector<TableSpec>& tables);

}  // namespace sweepd
