// Columns that give programs the information of marks and notes: a figure's numbers of samples and
// attempts, its verdict, and its attempts' outcomes.
#pragma once

#include <string>
#include <vector>

#include "runner/base/result.h"
#include "runner/model/table.h"
#include "runner/report/table_value.h"

namespace sweepd::report {

// Fails for words other than n, attempts, verdict, outcome and attempt (the ids).
Result<void> check_with(const std::vector<std::string>& words);

// The header of the column behind the one headed `figure`: "fp32 n".
Column with_header(const Column& figure, const std::string& word);

// `group` is null for a point that the sweep never had, whose cell is empty. The outcomes of
// several attempts are joined by "/", an attempt that has none yet is `pending`, and the verdict is
// the worst of those with a figure.
Cell with_cell(const Group* group, const std::string& word);

}  // namespace sweepd::report
