#include "workloads/nn/torch_device.h"

namespace sweepd {

at::Device torch_device(const Device& device) {
  if (device.kind() == "cpu") return at::Device(at::kCPU);
  return at::Device(at::kCUDA, static_cast<at::DeviceIndex>(device.index()));
}

at::Generator seeded_generator(at::Device device, std::int64_t seed) {
  at::Generator generator = at::globalContext().defaultGenerator(device).clone();
  generator.set_current_seed(static_cast<std::uint64_t>(seed));
  return generator;
}

}  // namespace sweepd
