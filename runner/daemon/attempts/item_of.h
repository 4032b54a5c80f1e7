// An attempt as the scheduler sees it.
#pragma once

#include <string>

#include "runner/model/attempt/open_attempt.h"
#include "runner/model/sweep/trial.h"
#include "runner/model/vocabulary/catalog.h"
#include "runner/sched/scheduler.h"

namespace sweepd {

// Without the fields that only a submitted attempt has: id, position, priority, timeout; and in the
// first pool.
Item item_of(const WorkloadDef& def, const Trial& trial, Pass pass);

// The catalog must have the attempt's workload.
Item item_of(const Catalog& catalog, const OpenAttempt& attempt, PoolIndex pool = 0);

// "model=xl context=128": the parameters that its sweep varies. The name of a workload that the
// catalog lacks.
std::string label_of(const Catalog& catalog, const OpenAttempt& attempt);

}  // namespace sweepd
