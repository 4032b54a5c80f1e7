#include "runner/exec/topology.h"

#include <hwloc.h>

namespace sweepd {
namespace {

std::vector<int> indices_of(hwloc_const_bitmap_t set) {
  std::vector<int> indices;
  if (set == nullptr) return indices;
  for (int i = hwloc_bitmap_first(set); i >= 0; i = hwloc_bitmap_next(set, i)) {
    indices.push_back(i);
  }
  return indices;
}

}  // namespace

void Topology::Destroy::operator()(hwloc_topology* topology) const {
  hwloc_topology_destroy(topology);
}

Topology Topology::of_this_machine() {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) < 0) return Topology(nullptr);
  Handle handle(topology);
  if (hwloc_topology_load(topology) < 0) return Topology(nullptr);
  return Topology(std::move(handle));
}

Topology Topology::synthetic(const std::string& description) {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) < 0) return Topology(nullptr);
  Handle handle(topology);
  if (hwloc_topology_set_synthetic(topology, description.c_str()) < 0 ||
      hwloc_topology_load(topology) < 0) {
    return Topology(nullptr);
  }
  return Topology(std::move(handle));
}

std::vector<int> Topology::cores() const {
  if (!handle_) return {};
  return indices_of(hwloc_topology_get_allowed_cpuset(handle_.get()));
}

std::vector<int> Topology::cores_of_node(int numa_node) const {
  if (!handle_ || numa_node < 0) return {};
  const hwloc_obj* node =
      hwloc_get_numanode_obj_by_os_index(handle_.get(), static_cast<unsigned>(numa_node));
  return node == nullptr ? std::vector<int>{} : indices_of(node->cpuset);
}

}  // namespace sweepd
