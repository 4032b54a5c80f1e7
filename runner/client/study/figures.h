// Figures in a study's prose: their queries and their text.
#pragma once

#include <optional>
#include <string>

#include "runner/base/result.h"
#include "runner/model/attempt/result_set.h"
#include "runner/model/sweep/study.h"
#include "runner/model/sweep/table.h"

namespace sweepd {

// Returns the query whose table has the figure as its only cell. `sweep` is the sweep's id.
Result<QuerySpec> query_of(const StudyFigure& figure, const std::string& sweep);

struct FoundFigure {
  std::string text;              // of the cell, with the mark of a suspect figure
  std::optional<double> number;  // if the cell has exactly one
  bool suspect = false;
};

// The messages of find_figure if nothing was measured, or not yet.
inline constexpr const char* kNothingMeasured = "nothing of the kind was measured";
inline constexpr const char* kNotMeasuredYet = "not measured yet";

// Returns the figure in the table that answers `query_of`. It is kNotFound if there is no such
// result, if it is not done yet or ended otherwise, or if it is invalid; kInvalidArgument if the
// sweep cannot have the figure: no such point, or several results that would be pooled. The message
// says why.
Result<FoundFigure> find_figure(const StudyFigure& figure, const Result<Table>& table);

// "no figure for `{mean:.1f}` of sweep `precision` at model=small: the attempt is oom"
std::string no_figure(const StudyFigure& figure, const std::string& why);

// Returns the query for the inputs of `spread_of`: the same point's mean, std and interval.
Result<QuerySpec> spread_query_of(const StudyFigure& figure, const std::string& sweep);

// Returns how far the figure may be off to each side, as a share of it: half of the 95 % interval
// of its mean over the attempts, or over the steps of a single one. 0 for exact figures: a count, a
// size, a formula, a word (whose query is an error), the largest and the smallest. Nothing for a
// time that was taken once.
std::optional<double> spread_of(const StudyFigure& figure, const Result<Table>& table);

}  // namespace sweepd
