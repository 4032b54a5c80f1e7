// The `tables:` section. Cell templates are checked for their braces only. The report layer checks
// which names they contain, through check_tables.
#pragma once

#include "runner/sweepfile/draft.h"
#include "runner/sweepfile/reporter.h"

namespace sweepd::sweepfile {

void read_tables(Reporter& report, Draft& draft, const Node& section);

// Reports what `check` finds in tables that were read without a mistake, at the keys it names.
void check_tables(Reporter& report, const Draft& draft, const TableCheck& check);

}  // namespace sweepd::sweepfile
