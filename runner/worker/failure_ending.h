// Turns exceptions into outcomes, in one place.
#pragma once

#include <string>

#include "runner/model/outcome.h"
#include "workloads/api/device.h"

namespace sweepd {

// Call inside a catch block. OutOfMemory, the device's own out-of-memory errors and std::bad_alloc
// are `oom`, Unavailable is `skipped`, Crash is `crashed`, and everything else is `failed` with its
// message. `device` may be null if none is open yet. `limit` is used if the exception has none.
Ending ending_of_current_exception(Device* device, Bytes limit, const std::string& phase);

}  // namespace sweepd
