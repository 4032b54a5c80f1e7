// The CPU as a Device: its timeline is the steady clock, its memory that of torch's counting
// allocator.
#pragma once

#include <memory>

#include "workloads/api/device.h"

namespace sweepd {

// Sets torch's thread count and installs the counting allocator. Call before the first tensor is
// made.
std::unique_ptr<Device> make_cpu_device(const DeviceOptions& options);

}  // namespace sweepd
