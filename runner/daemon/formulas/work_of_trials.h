// The work of trials by their workload's formulas, which only the worker program has.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "runner/base/result.h"
#include "runner/model/trial.h"
#include "runner/model/work.h"

namespace sweepd {

struct AskedTrial {
  const WorkloadDef* def;
  const Trial* trial;
};

// Returns one result per trial, in order; empty if its formulas reject the parameters. Uses one
// process for all. Blocks: for a reader thread.
Result<std::vector<std::optional<WorkPerStep>>> work_of_trials(
    const std::filesystem::path& worker, const std::vector<AskedTrial>& trials);
Result<std::vector<std::optional<WorkPerStep>>> work_of_trials(
    const std::filesystem::path& worker, const WorkloadDef& def,
    const std::vector<const Trial*>& trials);

}  // namespace sweepd
