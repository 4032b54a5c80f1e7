// The content of trials beside their parameters, such as a program's code: the value of their
// computed parameter (ParamDef::computed), which only the worker program can compute.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runner/base/result.h"
#include "runner/model/sweep/trial.h"

namespace sweepd {

// Returns one value per trial, in order. An error is the worker's own, such as a file that cannot
// be read. Blocks: for a reader thread.
Result<std::vector<std::string>> code_of_trials(const std::filesystem::path& worker,
                                                const WorkloadDef& def,
                                                const std::vector<const Trial*>& trials);

}  // namespace sweepd
