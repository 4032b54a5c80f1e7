#include "runner/exec/gpus.h"

#include <algorithm>
#include <charconv>

#include "runner/base/proc.h"
#include "runner/base/text.h"

namespace sweepd {
namespace {

// Returns the position of the GPU that an entry names; nothing for -1, an unknown GPU, or an
// ambiguous prefix.
std::optional<std::size_t> find_gpu(const std::vector<NvmlGpu>& gpus, std::string_view entry) {
  int index = 0;
  const auto [end, error] = std::from_chars(entry.data(), entry.data() + entry.size(), index);
  const bool number = error == std::errc{} && end == entry.data() + entry.size();
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const bool named = number ? gpus[i].index == index
                              : entry.starts_with("GPU-") && gpus[i].uuid.starts_with(entry);
    if (!named) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

int numa_node_of(const NvmlGpu& gpu, const std::filesystem::path& root) {
  if (gpu.pci_bus_id.empty()) return -1;
  const std::string text =
      read_small_file(root / "sys/bus/pci/devices" / gpu.pci_bus_id / "numa_node");
  int node = -1;  // the kernel also reports -1 if the firmware does not have it
  std::from_chars(text.data(), text.data() + text.size(), node);
  return node;
}

}  // namespace

std::vector<NvmlGpu> visible_gpus(const std::vector<NvmlGpu>& gpus,
                                  const std::optional<std::string>& cuda_visible_devices) {
  if (!cuda_visible_devices) return gpus;
  std::vector<bool> visible(gpus.size(), false);
  for (const std::string& entry : split(*cuda_visible_devices, ',')) {
    const auto found = find_gpu(gpus, trim(entry));
    if (!found) break;
    visible[*found] = true;
  }
  std::vector<NvmlGpu> out;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    if (visible[i]) out.push_back(gpus[i]);
  }
  return out;
}

Gpu gpu_of(const NvmlGpu& gpu, const Topology& topology, const std::vector<int>& cores,
           const std::filesystem::path& root) {
  Gpu out{.index = gpu.index,
          .uuid = gpu.uuid,
          .name = gpu.name,
          .memory = gpu.memory,
          .near_cores = {}};
  for (const int core : topology.cores_of_node(numa_node_of(gpu, root))) {
    if (std::binary_search(cores.begin(), cores.end(), core)) out.near_cores.push_back(core);
  }
  return out;
}

DeviceInfo device_of(const NvmlGpu& gpu, const std::string& driver) {
  return {.kind = "cuda",
          .index = gpu.index,
          .uuid = gpu.uuid,
          .name = gpu.name,
          .memory = gpu.memory,
          .driver = driver,
          .compute_capability = gpu.compute_capability,
          .power_limit_watts = gpu.power_limit_watts,
          .ecc = gpu.ecc};
}

}  // namespace sweepd
