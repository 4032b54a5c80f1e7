// From what NVML tells to what the scheduler and the environment record need.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runner/base/nvml.h"
#include "runner/exec/topology.h"
#include "runner/model/environment.h"
#include "runner/model/lease.h"

namespace sweepd {

// Those that CUDA_VISIBLE_DEVICES allows, in PCI order: a batch system tells a job by it which GPUs
// are its own. Entries are indices or (starts of) UUIDs; as in CUDA, the first one that names no
// GPU ends the list. Not set: all.
std::vector<NvmlGpu> visible_gpus(const std::vector<NvmlGpu>& gpus,
                                  const std::optional<std::string>& cuda_visible_devices);

// `cores` bounds near_cores; `root` is where /sys is. A virtual machine often hides the NUMA node.
Gpu gpu_of(const NvmlGpu& gpu, const Topology& topology, const std::vector<int>& cores,
           const std::filesystem::path& root = "/");

DeviceInfo device_of(const NvmlGpu& gpu, const std::string& driver);

}  // namespace sweepd
