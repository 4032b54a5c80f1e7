// What a template of `command` may name.
#pragma once

#include <filesystem>
#include <vector>

#include "workloads/api/workload.h"
#include "workloads/command/params.h"
#include "workloads/command/words.h"

namespace sweepd::command {

// The free parameters; of the run device, world_size, warmup, steps, seed, threads and memory_limit
// (bytes); pass and rank; folder (the attempt's); python ($SWEEPD_PYTHON, else python3); scripts
// (the folder of the scripts that sweepd ships, see below).
std::vector<Variable> variables_of(Params params, const Context& context);

// experiments/scripts of a source tree, or share/sweepd/experiments/scripts of an installation,
// whichever the worker's program lies in; empty when there is none. $SWEEPD_SCRIPTS comes first.
std::filesystem::path scripts_folder();

}  // namespace sweepd::command
