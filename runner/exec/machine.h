// Discovers what this machine has: cores by hwloc (within affinity and cpusets), memory (within the
// control group's limit), GPUs by NVML opened at run time (none without NVML; within the caller's
// CUDA_VISIBLE_DEVICES), and what each device is, for the environment record. Nothing here fails.
// Takes some 10 ms, more with GPUs; called once when the daemon starts.
#pragma once

#include "runner/model/environment.h"
#include "runner/model/lease.h"

namespace sweepd {

Machine discover_machine();

// Returns the CPU first, then the machine's GPUs. Used by `sweepctl devices` and for what the
// daemon stores; the worker reads its own device with base/host.h and base/nvml.h.
std::vector<DeviceInfo> discover_devices(const Machine& machine, const HostInfo& host);

}  // namespace sweepd
