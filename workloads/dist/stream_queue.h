// The queue for a device with streams: operations are enqueued at once, on their own stream
// that waits for the work enqueued before them, or on the current one. It uses torch's device
// guards, so that it needs no CUDA header and is part of the program itself.
#pragma once

#include <memory>

#include "workloads/torch/collectives.h"

namespace sweepd {

enum class QueueStream { kOwn, kCurrent };

// `collectives` must outlive the queue. An operation's tensors must live until wait() has been
// called, or until the current stream has been synchronised.
std::unique_ptr<CommunicationQueue> make_stream_queue(Collectives& collectives,
                                                      const Device& device, QueueStream stream);

}  // namespace sweepd
