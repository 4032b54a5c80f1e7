// The CPU as a Device: the steady clock as its timeline, torch's counting allocator as its memory.
#pragma once

#include <memory>

#include "workloads/api/device.h"

namespace sweepd {

// Sets torch's thread count and installs the counting allocator; call before the first tensor.
std::unique_ptr<Device> make_cpu_device(const DeviceOptions& options);

}  // namespace sweepd
