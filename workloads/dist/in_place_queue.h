// A queue that does not queue: each operation runs where it is submitted, and is timed as in a real
// queue. For work that should not overlap, where each switch to a thread would only cost time.
#pragma once

#include <memory>

#include "workloads/torch/collectives.h"

namespace sweepd {

// `collectives` must outlive the queue. submit rethrows the operation's exception.
std::unique_ptr<CommunicationQueue> make_in_place_queue(Collectives& collectives, Device& device);

}  // namespace sweepd
