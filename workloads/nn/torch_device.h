// Converts the runner's device to torch's, and makes random numbers that depend only on the seed.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>

#include "workloads/api/device.h"

namespace sweepd {

at::Device torch_device(const Device& device);

// Returns its own generator, so that torch's default one is not used.
at::Generator seeded_generator(at::Device device, std::int64_t seed);

}  // namespace sweepd
