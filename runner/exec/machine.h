// What this machine has: cores by hwloc (affinity and cgroup respected), GPUs by NVML opened at run
// time (absent: none), memory. And who it is, for the environment record.
#pragma once

#include "runner/model/environment.h"
#include "runner/model/lease.h"

namespace sweepd {

Machine discover_machine();

// For the environment record and `sweepctl devices`. Also used by the worker (base/host_info.h has
// the torch-free reading).
std::vector<DeviceInfo> discover_devices(const Machine& machine, const HostInfo& host);

}  // namespace sweepd
