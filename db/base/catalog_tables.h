// Extends the schema for the catalog: the params_<workload> tables, which only ever gain columns,
// and the views <workload> and <workload>_memory, which follow the catalog.
#pragma once

#include <string>

#include "db/base/connection.h"
#include "runner/model/vocabulary/catalog.h"

namespace sweepd {

// Call inside a transaction. Errors: the column of a parameter has another type; a workload has the
// name of one of our tables. Throws SQLite::Exception.
Result<void> apply_catalog(Connection& connection, const Catalog& catalog);
// The same for one workload.
Result<void> apply_workload(Connection& connection, const WorkloadDef& def);

// The CREATE VIEW texts, for the tests and for docs/DATABASE.md.
std::string workload_view(const WorkloadDef& def);
std::string workload_memory_view(const WorkloadDef& def);

}  // namespace sweepd
