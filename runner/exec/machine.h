// Discovers this machine's resources: cores by hwloc (within affinity, cpusets and the control
// group's CPU quota), memory (within the control group's limit), GPUs by NVML opened at run time
// (none without NVML; within the caller's CUDA_VISIBLE_DEVICES), and a description of each device,
// for the environment record. Nothing here fails. Takes some 10 ms, more with GPUs; called once
// when the daemon starts.
#pragma once

#include <filesystem>
#include <optional>

#include "runner/model/machine/environment.h"
#include "runner/model/machine/lease.h"

namespace sweepd {

// `root` is where the files of control groups are.
Machine discover_machine(const std::filesystem::path& root = "/");

// Leaves the machine the cores that its quota allows (cores_within_quota): of each GPU in turn the
// next one that is near it, then the first of the others. `quota` is the control group's.
void keep_within_quota(Machine& machine, const std::optional<double>& quota);

// Returns the CPU first, then the machine's GPUs. Used by `sweepctl devices` and for the daemon's
// records; the worker reads its own device with base/host.h and base/nvml.h.
std::vector<DeviceInfo> discover_devices(const Machine& machine, const HostInfo& host);

}  // namespace sweepd
