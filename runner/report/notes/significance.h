// Judges the differences of a table's cells from their baseline by the method of `sweepctl
// compare` (runner/stats/compare.h): whether a cell is faster or slower, for bold cells, and its p
// value, which is how often a difference as large appears when there is none.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "runner/report/cell/table_value.h"
#include "runner/stats/compare.h"

namespace sweepd::report {

struct Significance {
  // The basis of the shown p values and bold cells. Cells that show the same results are one
  // comparison.
  std::vector<stats::Comparison> comparisons;
  std::size_t mixed = 0;   // cells whose attempts, or the baseline's, are of different trials
  std::size_t shared = 0;  // cells that share an attempt with their baseline
  bool p_values = false, bold = false;  // which of the two the table shows
};

// Judges every cell that shows a p or is bold if it changed, or all if the table is sorted by p,
// corrected together after Benjamini and Hochberg. Invalid figures are not compared.
Significance find_significance(std::span<TableValue> table_values,
                               const std::vector<std::string>& sort);

}  // namespace sweepd::report
