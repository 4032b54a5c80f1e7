// Parameter tables of a database whose catalog differs from ours.
#pragma once

#include "db/base/connection.h"
#include "runner/base/result.h"

namespace sweepd {

// Creates the params_<workload> tables and columns that `other` has and `main` lacks. Call inside a
// transaction. Error: a column has another type. Throws SQLite::Exception.
Result<void> adopt_params(Connection& connection);

}  // namespace sweepd
