// Which cores exist and which NUMA node each belongs to, by hwloc.
#pragma once

#include <memory>
#include <string>
#include <vector>

struct hwloc_topology;

namespace sweepd {

class Topology {
 public:
  static Topology of_this_machine();
  // "numa:2 core:4 pu:2": hwloc's synthetic description, for tests.
  static Topology synthetic(const std::string& description);

  // All ascending, in the operating system's numbers; empty if hwloc does not know them.
  std::vector<int> cores() const;  // those that no cpuset takes from us
  std::vector<int> cores_of_node(int numa_node) const;

 private:
  struct Destroy {
    void operator()(hwloc_topology* topology) const;
  };
  using Handle = std::unique_ptr<hwloc_topology, Destroy>;
  explicit Topology(Handle handle) : handle_(std::move(handle)) {}
  Handle handle_;  // null: loading failed
};

}  // namespace sweepd
