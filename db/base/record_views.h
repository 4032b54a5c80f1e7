// Views of described records for people: the table is singular, the view of it plural, with texts
// in place of ids and the attempt's uid in front.
#pragma once

#include <string>
#include <vector>

namespace sweepd {

// CREATE VIEW statements, without a semicolon.
std::vector<std::string> record_views();

// Columns of Summary beside its key: `n`, `mean` and the like, then those of a steady state.
const std::vector<std::string>& summary_columns();
// Columns of PhaseMemory that are figures: `peak_allocated_bytes` and the like.
const std::vector<std::string>& memory_columns();

}  // namespace sweepd
