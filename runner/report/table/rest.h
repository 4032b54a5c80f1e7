// Rows of a table that are too small to matter, added up in one row.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "runner/model/sweep/sweep.h"
#include "runner/model/sweep/table.h"
#include "runner/report/cell/table_value.h"

namespace sweepd::report {

// Replaces rows whose value of TableSpec::rest is below its limit by one row, at the place of the
// last one, among rows that have the same headers but for the last. Times, calls and shares of
// kernels are added up; other figures have no sum, and their cells are blank. A single such row
// stays. Each of `columns` has `behind` more columns of words behind it.
void add_up_rest(const TableSpec& spec, std::span<const TableValue> table_values,
                 const std::vector<ValueColumn>& columns, std::size_t behind, Table& table);

}  // namespace sweepd::report
