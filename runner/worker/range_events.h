// A profile's events about ranges in addition to their kernels.
#pragma once

#include "runner/worker/event_writer.h"
#include "runner/worker/profile_pass.h"

namespace sweepd {

// Adds each pass through a range as samples `range_time.<range>`, whose step is its number: in a
// model, one layer after the other. Also adds softmax's share of attention's products and softmax
// (profile_summary.h), as the facts `profile.softmax_share` (forward) and
// `profile.softmax_share_backward`.
void add_range_events(const ProfileResult& result, KernelSource source, int rank,
                      EventWriter& events);

}  // namespace sweepd
