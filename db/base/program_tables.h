// The table `program`: sweep files' declarations of programs (model/vocabulary/program.h), as JSON.
// Call these inside a transaction. They throw SQLite::Exception.
#pragma once

#include <string>
#include <vector>

#include "db/base/connection.h"
#include "runner/model/vocabulary/catalog.h"

namespace sweepd {

// Declarations, sorted by name, of the database `schema`: "main" or an attached one. Error: a row
// that this build cannot read.
Result<std::vector<WorkloadDef>> read_programs(Connection& connection, const std::string& schema);

// Adds the declaration to the stored ones, and makes the program's columns and views. Returns the
// definition now. `catalog` must have its base; it is not changed. Errors: the declarations
// contradict each other, or as those of apply_catalog.
Result<WorkloadDef> store_program(Connection& connection, const Catalog& catalog,
                                  const WorkloadDef& declaration);

// Adds to `catalog` the programs of the database that its workloads can run.
Result<void> load_programs(Connection& connection, const Catalog& catalog);

}  // namespace sweepd
