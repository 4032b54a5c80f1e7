// The trials of a sweep that is submitted or restored. Called inside its transaction.
#pragma once

#include <vector>

#include "db/store/insert_sweep.h"
#include "db/store/state.h"

namespace sweepd {

// In the request's order. `sweep` is the sweep's row.
std::vector<TrialRow> insert_trials(StoreState& state, std::int64_t sweep, const NewSweep& request,
                                    const WorkloadDef& def);

// Stores the program that the sweep declares.
Result<WorkloadDef> declare_program(StoreState& state, const WorkloadDef& def);

}  // namespace sweepd
