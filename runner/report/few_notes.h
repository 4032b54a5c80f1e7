// Which of a table's notes stand below it where not all are asked for.
#pragma once

#include <string>

#include "runner/model/table.h"

namespace sweepd {

// Keeps at most three notes: the meaning of marks first, then what the figures are, then what
// warns. The last one says how many more there are, and `where`: "`--notes all` shows them".
Table with_few_notes(Table table, const std::string& where);

}  // namespace sweepd
