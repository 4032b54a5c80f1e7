// What this machine has: cores by hwloc (affinity and cpusets respected), memory (the control
// group's limit respected), GPUs by NVML opened at run time (absent: none; CUDA_VISIBLE_DEVICES of
// the caller respected). And what each device is, for the environment record. Nothing here fails.
// Takes some 10 ms, more with GPUs: called once when the daemon starts.
#pragma once

#include "runner/model/environment.h"
#include "runner/model/lease.h"

namespace sweepd {

Machine discover_machine();

// The CPU first, then the machine's GPUs. For `sweepctl devices` and for what the daemon stores;
// the worker reads its own device with base/host.h and base/nvml.h.
std::vector<DeviceInfo> discover_devices(const Machine& machine, const HostInfo& host);

}  // namespace sweepd
