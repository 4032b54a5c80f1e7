// The queues of collectives: make_communication_queue (torch/collectives.h), and one that runs them
// in place.
#pragma once

#include <memory>

#include "workloads/torch/collectives.h"

namespace sweepd {

// Makes a queue that runs each operation at its submission, and times it as a real queue does. For
// work that should not overlap, where each switch to a thread would only cost time. `collectives`
// must outlive the queue. submit rethrows the operation's exception.
std::unique_ptr<CommunicationQueue> make_in_place_queue(Collectives& collectives, Device& device);

}  // namespace sweepd
