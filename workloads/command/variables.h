// The names that a template of `command` may use.
#pragma once

#include <filesystem>
#include <vector>

#include "workloads/api/workload.h"
#include "workloads/command/params.h"
#include "workloads/command/words.h"

namespace sweepd::command {

// Where and as which of its ranks a trial runs, as far as it is known.
struct Place {
  std::string device;
  Pass pass = Pass::kTiming;
  int rank = 0, world_size = 1, threads = 0;
  std::filesystem::path folder;  // empty: {folder} is not given
};

// What a sweep file declared; the free parameters; of the run parameters device, world_size,
// warmup, steps, seed, threads and memory_limit (bytes); pass and rank; folder (the attempt's);
// report (a file in it, each rank's own); python ($SWEEPD_PYTHON, else python3); scripts (the
// folder of the scripts that sweepd ships, see below).
std::vector<Variable> variables_of(Params params, const RunParams& run, const Place& place);

// The file that {report} names: one for each rank.
std::filesystem::path report_file(const std::filesystem::path& folder, int rank, int world_size);

// Returns experiments/scripts of a source tree, or share/sweepd/experiments/scripts of an
// installation, whichever contains the worker's program; empty if neither does. $SWEEPD_SCRIPTS
// takes precedence.
std::filesystem::path scripts_folder();

}  // namespace sweepd::command
