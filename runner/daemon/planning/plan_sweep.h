// Computes the effect of submitting a sweep: the number of attempts, their estimated time, and
// those that do not fit. Stores and queues nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "runner/daemon/planning/plan_shared.h"
#include "runner/daemon/planning/prepare.h"
#include "runner/model/sweep/sweep_plan.h"

namespace sweepd {

// With `rows` of the examined trials, the first and the last among them. Blocks on the database and
// on the worker program: for a reader thread.
Result<SweepPlan> plan_sweep(const PlanContext& context, const PreparedSweep& prepared,
                             std::int64_t rows);

// Returns trials [begin, end): a page of the whole list.
Result<std::vector<PlannedTrial>> plan_trials(const PlanContext& context,
                                              const PreparedSweep& prepared, std::size_t begin,
                                              std::size_t end);

}  // namespace sweepd
