// Chooses the few notes that stand below a table by default.
#pragma once

#include <string>

#include "runner/model/table.h"

namespace sweepd {

// Keeps at most three notes: the meaning of marks first, then that of the figures, then warnings.
// The last one says how many more there are, and `where`: "`--notes all` shows them".
Table with_few_notes(Table table, const std::string& where);

}  // namespace sweepd
