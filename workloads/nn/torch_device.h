// Converts the runner's device to torch's, and makes random numbers that depend only on the seed.
#pragma once

#include "workloads/torch/aten.h"

#include <cstdint>

#include "workloads/api/device.h"

namespace sweepd {

inline at::Device torch_device(const Device& device) {
  if (device.kind() == "cpu") return at::Device(at::kCPU);
  return at::Device(at::kCUDA, static_cast<at::DeviceIndex>(device.index()));
}

// Returns its own generator, so that torch's default one is not used.
inline at::Generator seeded_generator(at::Device device, std::int64_t seed) {
  at::Generator generator = at::globalContext().defaultGenerator(device).clone();
  generator.set_current_seed(static_cast<std::uint64_t>(seed));
  return generator;
}

}  // namespace sweepd
