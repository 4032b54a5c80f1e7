// Programs that start several processes, each of which takes all cores of the lease.
#pragma once

#include <string>

#include "runner/model/sweep/trial.h"

namespace sweepd {

// Returns a warning for a trial whose command line starts torchrun or the like: each of the ranks
// that it starts inherits OMP_NUM_THREADS of the lease, so together they have more threads than
// cores. "" if there is no such program, or `env` sets the variable.
std::string launcher_warning(const WorkloadDef& def, const Trial& trial);

}  // namespace sweepd
