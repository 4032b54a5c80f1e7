// The measured workload of a request: one of this program, or a user's program that one of them
// runs.
#pragma once

#include <optional>
#include <string>

#include "runner/base/result.h"
#include "workloads/api/workload.h"

namespace sweepd {

struct Measured {
  const WorkloadEntry* entry = nullptr;
  WorkloadDef def;  // of the entry, or of the program
};

// kNotFound, with the nearest name, if there is no such workload.
Result<Measured> find_measured(const Registry& registry, const std::string& workload,
                               const std::optional<WorkloadDef>& program);

}  // namespace sweepd
