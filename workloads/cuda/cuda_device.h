// The one entry of libsweep_cuda.so, found by name with dlsym. No CUDA header here: the worker
// includes it on machines without a toolkit.
#pragma once

#include "workloads/api/device.h"

namespace sweepd {

// The caller owns the device. Throws Unavailable when there is no device of that index.
using MakeCudaDevice = Device* (*)(const DeviceOptions&);
inline constexpr const char* kMakeCudaDevice = "sweepd_make_cuda_device";

}  // namespace sweepd
