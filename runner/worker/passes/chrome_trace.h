// Writes a recording in the Trace Event Format (JSON), which Perfetto (ui.perfetto.dev) and
// chrome://tracing open: phases, ranges and operators nested on the host's threads, kernels on the
// device's streams, and an arrow to each kernel from the operator that launched it.
#pragma once

#include <iosfwd>

#include "workloads/api/profiler.h"

namespace sweepd {

void write_chrome_trace(std::ostream& out, const Recording& recording, int rank);

}  // namespace sweepd
