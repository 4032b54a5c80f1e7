// The work of trials by their workload's formulas, which only the worker program has.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "runner/base/result.h"
#include "runner/base/units.h"
#include "runner/model/measurement/work.h"
#include "runner/model/sweep/trial.h"
#include "runner/model/vocabulary/outcome.h"

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

// How an analytic trial ends, and its result if it is `done`.
struct FormulaResult {
  Ending ending;
  std::optional<WorkPerStep> work;
};

// The same with the reason if there is no work: `failed` with the worker's words. A trial at which
// the worker dies or hangs is `crashed` or `timeout`, and another worker answers the rest. An error
// if it does not start, or if three in a row answer nothing. A worker hangs if it takes longer than
// `limit`, and 1 ms for each trial.
Result<std::vector<FormulaResult>> results_of_trials(const std::filesystem::path& worker,
                                                     const std::vector<AskedTrial>& trials,
                                                     Duration limit = seconds(20));

}  // namespace sweepd
