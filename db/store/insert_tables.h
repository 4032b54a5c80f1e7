// Stores as rows the tables that a sweep declares. db/query/tables.cpp reads them back.
#pragma once

#include <cstdint>
#include <vector>

#include "db/base/connection.h"
#include "runner/model/sweep.h"

namespace sweepd {

// Call inside the transaction that inserted the sweep's row.
void insert_tables(Connection& connection, std::int64_t sweep,
                   const std::vector<TableSpec>& tables);

// One table, at its position.
void insert_table(Connection& connection, std::int64_t sweep, std::int64_t position,
                  const TableSpec& table);

}  // namespace sweepd
