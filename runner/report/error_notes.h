// The lines under a table that explain the errors of its means.
#pragma once

#include <string>
#include <vector>

#include "runner/report/table_value.h"

namespace sweepd::report {

// Explains `{sem}` and `{ci95}` of the shown rows, and why some cells have none.
std::vector<std::string> error_notes(const std::vector<TableValue>& table_values,
                                     const std::vector<Key>& rows);

}  // namespace sweepd::report
