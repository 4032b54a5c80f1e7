// What bounds the recorded step of a GPU: the metrics of runner/trace/profile_rows.h.
#pragma once

#include <vector>

#include "runner/model/measurement/sample.h"
#include "workloads/api/profiler.h"

namespace sweepd {

// Empty without kernels of a device.
std::vector<Sample> bounds_of(const Recording& recording, double step_ms);

}  // namespace sweepd
