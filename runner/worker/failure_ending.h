// The one place where exceptions become outcomes.
#pragma once

#include <string>

#include "runner/model/outcome.h"
#include "workloads/api/device.h"

namespace sweepd {

// Call inside a catch block. OutOfMemory, the device's own out-of-memory errors and std::bad_alloc
// are `oom`, Unavailable is `skipped`, Crash is `crashed`, everything else `failed` with its
// message. `device` may be
// null, before there is one. `limit` fills in what the exception does not know.
Ending ending_of_current_exception(Device* device, Bytes limit, const std::string& phase);

}  // namespace sweepd
