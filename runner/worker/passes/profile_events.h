// The events that a profile pass writes into the journal.
#pragma once

#include "runner/worker/journal/event_writer.h"
#include "runner/worker/passes/profile_pass.h"

namespace sweepd {

// Kernels, operators, ranges and the facts `profile.step_ms`, `profile.kernel_ms`,
// `profile.dropped_records` and `profile.differing_kernels`.
void add_profile_events(ProfileResult result, KernelSource source, int rank, EventWriter& events);

}  // namespace sweepd
