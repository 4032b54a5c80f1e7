// The lines under a table: what the figures are, which results they are from, and what to be aware
// of.
#pragma once

#include <string>
#include <vector>

#include "runner/report/layer.h"

namespace sweepd::report {

// Describes the figures of the shown rows: "mean ± std of time, n = 10", by value where they
// differ.
std::vector<std::string> captions(const std::vector<Layer>& layers, const std::vector<Key>& rows);

// Returns "only precision = bf16"; values with narrower filters share one line.
std::vector<std::string> filter_notes(const TableSpec& table);

// Lists what the table names and no result has, once something is done: a name may be misspelt.
// A sweep that never ran is listed at once.
std::vector<std::string> unknown_notes(const std::vector<Layer>& layers);

// Says what comparisons are with: "compared with precision = fp32 by the means".
std::vector<std::string> baseline_notes(const TableSpec& table, std::vector<Layer>& layers);

// Returns "compiled: on average 1.52 over 20 rows, largest 2.31 (64 256)" for a column of
// speed-ups, without invalid ones. Returns "" if fewer than two rows have a speed-up, and if the
// rows themselves are compared, because an average over different methods means nothing.
std::string speedup_note(const std::string& name, const Layer& layer, const Key& column,
                         const std::vector<Key>& rows);

}  // namespace sweepd::report
