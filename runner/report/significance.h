// The p values of a table's cells: how often a difference from the baseline as large as the one
// found appears when there is none. By the method of `sweepctl compare` (runner/stats/compare.h).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "runner/report/layer.h"
#include "runner/stats/compare.h"

namespace sweepd::report {

struct Significance {
  // What the shown p values are of. Cells that show the same results are one comparison.
  std::vector<stats::Comparison> comparisons;
  std::size_t mixed = 0;   // cells whose attempts, or the baseline's, are of different trials
  std::size_t shared = 0;  // cells that share an attempt with their baseline
};

// Sets the p of every cell that shows one, or of all if the table is sorted by it, corrected
// together after Benjamini and Hochberg. Nothing is compared with an invalid figure, nor of one.
Significance find_significance(std::span<Layer> layers, const std::vector<std::string>& sort);

// Says what the p values are of, and why some cells have none.
std::vector<std::string> significance_notes(const Significance& found);

}  // namespace sweepd::report
