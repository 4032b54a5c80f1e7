// A machine's resources, and the part that an attempt was granted.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runner/base/units.h"

namespace sweepd {

struct Gpu {
  int index = 0;  // PCI bus order
  std::string uuid;
  std::string name;
  Bytes memory;
  std::vector<int> near_cores;  // on the GPU's NUMA node; empty when unknown
};

struct Machine {
  std::vector<int> cores;  // logical CPUs that leases may have, ascending
  // Of the control group, in cores, if it is less than the affinity mask has: 0.3, 2.5.
  std::optional<double> cpu_quota = {};
  std::vector<Gpu> gpus;
  Bytes memory;
};

struct RankLease {
  std::vector<int> cores;  // the rank is bound to these; shared between ranks only when there are
                           // more ranks than cores
  std::string gpu_uuid;    // "" on CPU
  int gpu_index = -1;      // -1 on CPU
  static void visit(auto& self, auto&& field) {
    field("cores", self.cores, "");
    field("gpu_uuid", self.gpu_uuid, "");
    field("gpu_index", self.gpu_index, "");
  }
};

// All ranks of one attempt, granted at once or not at all.
struct Lease {
  std::vector<RankLease> ranks;
};

}  // namespace sweepd
