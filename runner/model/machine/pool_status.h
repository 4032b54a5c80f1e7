// The state of a cluster's pool: its nodes and this daemon's jobs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/clock.h"
#include "runner/base/units.h"

namespace sweepd {

// Nodes that are alike and in the same state.
struct PoolNodes {
  static constexpr std::string_view kTitle = "nodes of a pool";
  std::string state;  // "idle", "mixed", "down*"
  bool usable = true;
  std::int64_t count = 0;
  std::string names;  // "node[1-4]"
  std::int64_t cores = 0, gpus = 0;
  std::string gpu;  // "h200"; "" if unknown
  Bytes memory;
  std::string reason = {};
  static void visit(auto& self, auto&& field) {
    field("state", self.state, "in the cluster's word");
    field("usable", self.usable, "attempts can run there, now or later");
    field("count", self.count, "");
    field("names", self.names, "");
    field("cores", self.cores, "of one node");
    field("gpus", self.gpus, "of one node");
    field("gpu", self.gpu, "their kind");
    field("memory_bytes", self.memory, "of one node; 0: unknown");
    field("reason", self.reason, "why they are not usable");
  }
};

struct PoolAllocation {
  static constexpr std::string_view kTitle = "a job of a pool";
  std::string id;
  std::string state;  // "PENDING", "RUNNING"
  std::string nodes;
  std::string reason;  // "Resources", "QOSMaxJobsPerUser"
  std::optional<WallTime> starts = {}, ends = {};
  static void visit(auto& self, auto&& field) {
    field("job", self.id, "its number");
    field("state", self.state, "");
    field("nodes", self.nodes, "empty while it waits");
    field("reason", self.reason, "why it waits");
    field("starts_ns", self.starts, "since 1970, as the cluster expects");
    field("ends_ns", self.ends, "its time limit");
  }
};

struct PoolStatus {
  static constexpr std::string_view kTitle = "a pool";
  std::vector<PoolNodes> nodes = {};
  std::vector<PoolAllocation> allocations = {};
  std::string name = {}, problem = {}, trouble = {};
  static void visit(auto& self, auto&& field) {
    field("name", self.name, "");
    field("nodes", self.nodes, "");
    field("jobs", self.allocations, "of this daemon");
    field("problem", self.problem, "why its state is not known");
    field("trouble", self.trouble, "why its attempts wait: its folder does not answer");
  }
};

}  // namespace sweepd
