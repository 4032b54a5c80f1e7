// The lines under a table: what the figures are, which results they are of, what to mind.
#pragma once

#include <string>
#include <vector>

#include "runner/report/layer.h"

namespace sweepd::report {

// What the figures of the shown rows are: "mean ± std of time, n = 10", by value where they differ.
std::vector<std::string> captions(const std::vector<Layer>& layers, const std::vector<Key>& rows);

// "only precision = bf16"; values that narrow it further say so in one line.
std::vector<std::string> filter_notes(const TableSpec& table);

// What the table asks for and no result has, once something is done: a name may be misspelt.
std::vector<std::string> unknown_notes(const std::vector<Layer>& layers);

// What comparisons are with: "compared with precision = fp32, by the means".
std::vector<std::string> baseline_notes(const TableSpec& table, std::vector<Layer>& layers);

// "compiled: on average 1.52 over 20 rows, largest 2.31 (64 256)": of a column that shows
// speed-ups, without invalid ones. "" where fewer than two rows have one, and where the rows are
// what is compared: over the ways to do a thing there is no average.
std::string speedup_note(const std::string& name, const Layer& layer, const Key& column,
                         const std::vector<Key>& rows);

}  // namespace sweepd::report
