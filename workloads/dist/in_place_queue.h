// A queue that is none: each operation runs where it is submitted, and is timed like those of a
// real one. For what shall not overlap: handing it to a thread would cost it a switch each time.
#pragma once

#include <memory>

#include "workloads/dist/collectives.h"

namespace sweepd {

// `collectives` must outlive the queue. submit throws what the operation throws.
std::unique_ptr<CommunicationQueue> make_in_place_queue(Collectives& collectives, Device& device);

}  // namespace sweepd
