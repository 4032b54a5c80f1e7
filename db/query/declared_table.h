// A table that a sweep declares, as stored.
#pragma once

#include <cstdint>

#include "db/base/connection.h"
#include "runner/base/result.h"
#include "runner/model/sweep.h"

namespace sweepd {

// Reads the table at a position of a sweep. Fails if a word in it is no longer known.
Result<TableSpec> declared_table(Connection& connection, std::int64_t sweep, std::int64_t position);

}  // namespace sweepd
