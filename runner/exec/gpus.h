// Converts NVML's reports for the scheduler and the environment record.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runner/base/nvml.h"
#include "runner/exec/topology.h"
#include "runner/model/machine/environment.h"
#include "runner/model/machine/lease.h"

namespace sweepd {

// Returns the GPUs that CUDA_VISIBLE_DEVICES allows, in PCI order. A batch system sets it to tell a
// job which GPUs it may use. Entries are indices or (prefixes of) UUIDs; as in CUDA, the first
// entry that names no GPU ends the list. Without the variable all GPUs are returned.
std::vector<NvmlGpu> visible_gpus(const std::vector<NvmlGpu>& gpus,
                                  const std::optional<std::string>& cuda_visible_devices);

// `cores` limits near_cores; `root` is where /sys is. Virtual machines often hide the NUMA node.
Gpu gpu_of(const NvmlGpu& gpu, const Topology& topology, const std::vector<int>& cores,
           const std::filesystem::path& root = "/");

DeviceInfo device_of(const NvmlGpu& gpu, const std::string& driver);

}  // namespace sweepd
