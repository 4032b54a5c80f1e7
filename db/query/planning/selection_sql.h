// The SQL that finds the attempts of a plan: for each (trial, pass, repeat, host) the current one,
// or the sweep's own.
#pragma once

#include <string>

#include "db/query/planning/plan.h"
#include "db/query/row_visitor.h"

namespace sweepd {

// The owner of a column's value.
enum class Level { kTrial, kAttempt, kFigure };
Level level_of(const QueryPlan& plan, const ColumnRef& column);

// Selects attempts one by one, in the order of results: row, uid, state, verdict, trial, key,
// repeat, host, pass, then the dimensions except those of figures.
// Its only parameter is the plan's sweep, if it has one, so that the statement is used again for
// the next sweep.
std::string select_sql(const QueryPlan& plan);

// FROM and WHERE of these attempts, `a`, and the parameters of their trials, `p`, with more tables
// to join. Its only parameter is the plan's sweep, if it has one; more conditions may follow.
std::string chosen_attempts(const QueryPlan& plan, const std::string& joins);

// The same in two halves, each of which reads a table front to back, as a hundred thousand attempts
// require. Trials: trial; with a sweep its position and repeats there; then the trial's named
// dimensions.
RowSource trial_rows(const QueryPlan& plan);
// FROM and WHERE of these trials, `p`, without parameters. With a filter on attempts, only the
// trials with such an attempt.
std::string trials_with_attempts(const QueryPlan& plan);
// Any trial of the workload: trial, then the dimensions after the named ones.
RowSource difference_rows(const QueryPlan& plan, const std::string& condition);
// Attempts of any trial: row, trial, outcome (NULL: pending), verdict; with a sweep the repeat,
// which must be less than the trial's repeats, and whether another one may count instead; then the
// attempt's dimensions. If the plan's sweep has its own results, all attempts: those count that
// `rows_of_sweep` lists, but for each that may be replaced there is one in `rows_instead`, with the
// same columns.
RowSource attempt_rows(const QueryPlan& plan);
bool has_own_results(const QueryPlan& plan);
RowSource rows_of_sweep(const QueryPlan& plan);
RowSource rows_instead(const QueryPlan& plan);

}  // namespace sweepd
