#include "runner/exec/machine.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <set>

#include "runner/base/cgroup.h"
#include "runner/exec/gpus.h"

namespace sweepd {
namespace {

std::vector<int> allowed_cores(const Topology& topology) {
  const std::vector<int> by_affinity = usable_cores();
  const std::vector<int> by_cpuset = topology.cores();
  std::vector<int> both;
  std::set_intersection(by_affinity.begin(), by_affinity.end(), by_cpuset.begin(), by_cpuset.end(),
                        std::back_inserter(both));
  return both.empty() ? by_affinity : both;
}

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

}  // namespace

void keep_within_quota(Machine& machine, const std::optional<double>& quota) {
  const auto all = static_cast<std::int64_t>(machine.cores.size());
  if (!quota || *quota >= static_cast<double>(all)) return;
  machine.cpu_quota = quota;
  const auto count = static_cast<std::size_t>(cores_within_quota(all, quota));
  std::set<int> kept;
  for (std::size_t i = 0, last = 1; i < last && kept.size() < count; ++i) {
    for (const Gpu& gpu : machine.gpus) {
      last = std::max(last, gpu.near_cores.size());
      if (i < gpu.near_cores.size() && kept.size() < count) kept.insert(gpu.near_cores[i]);
    }
  }
  for (const int core : machine.cores) {
    if (kept.size() < count) kept.insert(core);
  }
  machine.cores.assign(kept.begin(), kept.end());
  for (Gpu& gpu : machine.gpus) {
    std::erase_if(gpu.near_cores, [&](int core) { return !kept.contains(core); });
  }
}

Machine discover_machine(const std::filesystem::path& root) {
  const Topology topology = Topology::of_this_machine();
  Machine machine;
  machine.cores = allowed_cores(topology);
  machine.memory = read_host().memory;
  if (const auto limit = cgroup_memory_limit(root); limit && *limit < machine.memory) {
    machine.memory = *limit;
  }
  if (const auto nvml = Nvml::open()) {
    for (const NvmlGpu& gpu : visible_gpus(nvml->gpus(), variable("CUDA_VISIBLE_DEVICES"))) {
      machine.gpus.push_back(gpu_of(gpu, topology, machine.cores));
    }
  }
  keep_within_quota(machine, cgroup_cpu_quota(root));
  return machine;
}

std::vector<DeviceInfo> discover_devices(const Machine& machine, const HostInfo& host) {
  std::vector<DeviceInfo> devices;
  DeviceInfo& cpu = devices.emplace_back();
  cpu.kind = "cpu";
  cpu.uuid = host.id;
  cpu.name = host.cpu_model;
  cpu.memory = machine.memory;
  if (machine.gpus.empty()) return devices;
  const auto nvml = Nvml::open();
  if (!nvml) return devices;
  const std::string driver = nvml->driver_version();
  for (const NvmlGpu& gpu : nvml->gpus()) {
    const bool ours = std::any_of(machine.gpus.begin(), machine.gpus.end(),
                                  [&](const Gpu& g) { return g.uuid == gpu.uuid; });
    if (ours) devices.push_back(device_of(gpu, driver));
  }
  return devices;
}

}  // namespace sweepd
