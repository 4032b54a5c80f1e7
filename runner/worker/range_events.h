// What a profile says of ranges beside their kernels, as events of the journal.
#pragma once

#include "runner/worker/event_writer.h"
#include "runner/worker/profile_pass.h"

namespace sweepd {

// Each passage through a range as samples `range_time.<range>` whose step is its number: of a
// model, the layers one after the other. And softmax's share of the kernel time in attention's
// products and softmax, as the facts `profile.softmax_share` (forward) and
// `profile.softmax_share_backward`.
void add_range_events(const ProfileResult& result, KernelSource source, int rank,
                      EventWriter& events);

}  // namespace sweepd
