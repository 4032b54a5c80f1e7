// Makes the request of a trial's attempt for its worker. Pure.
#pragma once

#include "runner/model/sweep/trial.h"
#include "runner/wire/request.h"

namespace sweepd {

// Without what only an attempt has: id, repeat, lease, host and machine.
AttemptRequest trial_request(const WorkloadDef& def, const TrialKey& key, const Trial& trial,
                             Pass pass);

}  // namespace sweepd
