// The entry point of libsweep_cuda.so, found by name with dlsym. Includes no CUDA header, because
// the worker includes this file on machines without a toolkit.
#pragma once

#include "workloads/api/device.h"

namespace sweepd {

// The caller owns the device. Throws Unavailable if there is no device with that index.
using MakeCudaDevice = Device* (*)(const DeviceOptions&);
inline constexpr const char* kMakeCudaDevice = "sweepd_make_cuda_device";

}  // namespace sweepd
