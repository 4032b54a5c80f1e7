// What bounds the recorded step of a GPU: the metrics of runner/trace/profile_rows.h.
#pragma once

#include <vector>

#include "runner/model/measurement/sample.h"
#include "workloads/api/profiler.h"

namespace sweepd {

// The step begins with the first record and takes `step_ms`. A recording does not have the calls
// that launched its kernels, so nothing is known of these. Empty without kernels of a device.
std::vector<Sample> bounds_of(const Recording& recording, double step_ms);

}  // namespace sweepd
