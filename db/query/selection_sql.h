// The SQL that finds the attempts of a plan: of every (trial, pass, repeat, host) the current one.
#pragma once

#include <string>

#include "db/query/plan.h"
#include "db/query/row_visitor.h"

namespace sweepd {

// What knows a column's value.
enum class Level { kTrial, kAttempt, kFigure };
Level level_of(const ResultPlan& plan, const ColumnRef& column);

// One by one, in the order of results: row, uid, state, verdict, trial, key, repeat, host, pass,
// then the dimensions but figures'.
std::string select_sql(const ResultPlan& plan);

// The same in two halves, each table front to back, which is what a hundred thousand need.
// Trials: trial, of a sweep its position and repeats there, then the trial's named dimensions.
RowSource trial_rows(const ResultPlan& plan);
// Of any trial of the workload: trial, then the dimensions behind the named ones.
RowSource difference_rows(const ResultPlan& plan, const std::string& condition);
// Attempts of any trial: row, trial, outcome (NULL: pending), verdict, of a sweep the repeat that
// must be less than the trial's repeats, then the attempt's dimensions.
RowSource attempt_rows(const ResultPlan& plan);

}  // namespace sweepd
