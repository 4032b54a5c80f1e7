// From the runner's device to torch's, and random numbers that depend on the seed alone.
#pragma once

#include <ATen/ATen.h>

#include <cstdint>

#include "workloads/api/device.h"

namespace sweepd {

at::Device torch_device(const Device& device);

// A generator of its own: using it leaves torch's default one untouched.
at::Generator seeded_generator(at::Device device, std::int64_t seed);

}  // namespace sweepd
