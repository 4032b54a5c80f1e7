// A recording in the Trace Event Format (JSON), as Perfetto (ui.perfetto.dev) and chrome://tracing
// open it: phases, ranges and operators nested on the host's threads, kernels on the device's
// streams, an arrow from the operator that launched a kernel to it.
#pragma once

#include <iosfwd>

#include "workloads/api/profiler.h"

namespace sweepd {

void write_chrome_trace(std::ostream& out, const Recording& recording, int rank);

}  // namespace sweepd
