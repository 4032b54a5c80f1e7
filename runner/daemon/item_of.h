// An attempt as the scheduler sees it.
#pragma once

#include "runner/model/trial.h"
#include "runner/sched/scheduler.h"

namespace sweepd {

// Without the fields that only a submitted attempt has: id, position, priority, timeout.
Item item_of(const WorkloadDef& def, const Trial& trial, Pass pass);

}  // namespace sweepd
