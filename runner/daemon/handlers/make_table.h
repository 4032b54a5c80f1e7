// A query specification -> a finished table: names checked, results read, pivoted.
#pragma once

#include "db/query.h"
#include "runner/model/table.h"

namespace sweepd {

Result<Table> make_table(Reader& reader, const Catalog& catalog, QuerySpec query);

}  // namespace sweepd
