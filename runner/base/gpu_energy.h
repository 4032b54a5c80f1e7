// The energy of one GPU by NVML's counter, nvmlDeviceGetTotalEnergyConsumption (since Volta). Apart
// from Nvml (nvml.h), because it keeps the GPU's handle, so that a reading is one call to the
// driver.
#pragma once

#include <memory>
#include <string>

#include "runner/base/energy_counter.h"

namespace sweepd {

// The functions used, as nvml.h of the CUDA toolkit 13.0 declares them. 0 is success.
struct GpuEnergySymbols {
  using Device = void*;  // nvmlDevice_t

  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*device_by_uuid)(const char* uuid, Device*) = nullptr;
  int (*total_energy)(Device, unsigned long long* millijoules) = nullptr;
};

// Counts from when the driver was loaded. Returns null if there is no library, no driver, no GPU of
// this UUID, or if the GPU has no such counter.
std::unique_ptr<EnergyCounter> open_gpu_energy(const std::string& uuid,
                                               const char* library = "libnvidia-ml.so.1");
std::unique_ptr<EnergyCounter> open_gpu_energy(const std::string& uuid,
                                               const GpuEnergySymbols& symbols);

}  // namespace sweepd
