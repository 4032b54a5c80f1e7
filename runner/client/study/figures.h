// Figures in a study's prose: what to ask for, and what to write.
#pragma once

#include <string>

#include "runner/base/result.h"
#include "runner/model/result_set.h"
#include "runner/model/study.h"
#include "runner/model/table.h"

namespace sweepd {

// Returns the query whose table has the figure as its only cell. `sweep` is the sweep's id.
Result<QuerySpec> query_of(const StudyFigure& figure, const std::string& sweep);

// Returns the cell's text, with the mark of a suspect figure. It is an error if there is no such
// result, if it is not done yet or ended otherwise, if it is invalid, or if several results would
// be pooled; the message says which figure it is about and what is missing.
Result<std::string> text_of_figure(const StudyFigure& figure, const Result<Table>& table);

}  // namespace sweepd
