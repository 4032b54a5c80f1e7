// The lines under a table: the kind of its figures, their sources, and cautions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runner/report/table_value.h"

namespace sweepd::report {

// Describes the figures of the shown rows: "mean ± std of time, n = 10", by value where they
// differ. "" if all are exact, as formulas and sizes are.
std::string figures_note(const std::vector<TableValue>& table_values, const std::vector<Key>& rows);

// Returns "only pass = profile", for filters that neither rows and columns nor the caption show
// (`said`); values with narrower filters share one line.
std::vector<std::string> filter_notes(const TableSpec& table, const std::vector<std::string>& said);

// Lists names in the table that no result has, once some attempt is done: they may be misspelt.
// A sweep that never ran is listed at once.
std::vector<std::string> unknown_notes(const std::vector<TableValue>& table_values);

// Names the baseline of comparisons: "compared with precision = fp32 by the means".
std::vector<std::string> baseline_notes(const TableSpec& table,
                                        std::vector<TableValue>& table_values);

// "geometric mean of the speed-ups: compiled 1.50 over 20 rows, largest 2.31 (64 256)"; "" for
// none. Invalid cells do not count, nor columns that compare rows with each other, since an average
// over different methods is meaningless.
std::string speedup_note(const std::vector<TableValue>& table_values,
                         const std::vector<ValueColumn>& columns, const std::vector<Key>& rows);

}  // namespace sweepd::report
