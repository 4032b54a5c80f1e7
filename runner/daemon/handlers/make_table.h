// Turns a query specification into a finished table: checks names, reads results, pivots.
#pragma once

#include "db/query/query.h"
#include "runner/model/table.h"

namespace sweepd {

Result<Table> make_table(Reader& reader, const Catalog& catalog, QuerySpec query);

}  // namespace sweepd
