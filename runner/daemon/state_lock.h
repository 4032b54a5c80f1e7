// Ensures one daemon per state folder with flock(2): the kernel releases the lock with the process,
// so a crash leaves nothing to clean up.
#pragma once

#include "runner/base/result.h"
#include "runner/base/unique_fd.h"
#include "runner/wire/endpoint.h"

namespace sweepd {

// Creates the folder (0700) and takes its lock. kAlreadyExists names the process that holds it.
Result<UniqueFd> lock_state_folder(const StateFolder& state);

}  // namespace sweepd
