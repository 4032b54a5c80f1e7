// The order of a table's rows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner/base/result.h"
#include "runner/model/sweep/sweep.h"
#include "runner/report/cell/table_value.h"

namespace sweepd::report {

// The names by which a table can be sorted: its rows, its values by name, and the figures of a
// cell.
std::vector<std::string> sort_names(const TableSpec& table);
// "sort: `medain` is neither ...; expected one of ..., did you mean ..."
std::string unknown_sort_key(const TableSpec& table, std::string_view name);

// Sorts rows, which are in the order of their dimensions' values: parameters that the sweep file
// lists together (FileOrder) follow the file's points, then TableSpec::sort decides. Fails for an
// unknown key.
Result<void> sort_rows(const QuerySpec& query, const std::vector<TableValue>& values,
                       const std::vector<ValueColumn>& columns, std::vector<Key>& rows);

}  // namespace sweepd::report
