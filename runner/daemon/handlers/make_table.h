// Turns a query specification into a finished table: checks names, reads results, pivots.
#pragma once

#include "db/query/query.h"
#include "runner/model/sweep/table.h"

namespace sweepd {

// Returns the workload of a query: that of its sweep, if it names one, whose id it then has.
// Reader::results refuses a query that names a different workload as well.
Result<const WorkloadDef*> workload_of(Reader& reader, const Catalog& catalog, QuerySpec& query);

Result<Table> make_table(Reader& reader, const Catalog& catalog, QuerySpec query);

}  // namespace sweepd
