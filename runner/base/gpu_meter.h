// The clock, power and temperature of one GPU by NVML. Apart from Nvml (nvml.h), because it keeps
// the GPU's handle, so that a reading is three calls to the driver.
#pragma once

#include <memory>
#include <string>

#include "runner/base/device_meter.h"

namespace sweepd {

// The functions used, as nvml.h of the CUDA toolkit 13.0 declares them. 0 is success. The last
// three may be null.
struct GpuMeterSymbols {
  using Device = void*;  // nvmlDevice_t

  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*device_by_uuid)(const char* uuid, Device*) = nullptr;
  int (*clock)(Device, int type, unsigned* mhz) = nullptr;
  int (*power_usage)(Device, unsigned* milliwatts) = nullptr;
  int (*temperature)(Device, int sensor, unsigned* celsius) = nullptr;
};

// The clock is that of the multiprocessors. Returns null if there is no library, no driver, no GPU
// of this UUID, or if the GPU reports none of the three.
std::unique_ptr<DeviceMeter> open_gpu_meter(const std::string& uuid,
                                            const char* library = "libnvidia-ml.so.1");
std::unique_ptr<DeviceMeter> open_gpu_meter(const std::string& uuid,
                                            const GpuMeterSymbols& symbols);

}  // namespace sweepd
