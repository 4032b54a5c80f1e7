// What the catalog adds to the schema: params_<workload> tables, grown and never shrunk, and the
// views <workload> and <workload>_memory, which follow the catalog.
#pragma once

#include <string>

#include "db/connection.h"
#include "runner/model/catalog.h"

namespace sweepd {

// Call inside a transaction. Errors: a parameter whose column has another type, a workload named
// like a table of ours. Throws SQLite::Exception.
Result<void> apply_catalog(Connection& connection, const Catalog& catalog);

// The CREATE VIEW texts, for the tests and for docs/DATABASE.md.
std::string workload_view(const WorkloadDef& def);
std::string workload_memory_view(const WorkloadDef& def);

}  // namespace sweepd
