// Parameter tables of a database whose catalog differs from ours.
#pragma once

#include <vector>

#include "db/base/connection.h"
#include "runner/base/result.h"
#include "runner/model/vocabulary/catalog.h"

namespace sweepd {

// Creates the params_<workload> tables and columns that `other` has and `main` lacks. Call inside a
// transaction. Error: a column has another type. Throws SQLite::Exception.
Result<void> adopt_params(Connection& connection);

// The same for the programs that sweep files declared there. Returns their definitions now. Error:
// a declaration there contradicts the one here.
Result<std::vector<WorkloadDef>> adopt_programs(Connection& connection, const Catalog& catalog);

}  // namespace sweepd
