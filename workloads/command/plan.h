// From a trial's parameters to the program that runs: words, files, environment, folder.
#pragma once

#include <string>
#include <vector>

#include "workloads/api/workload.h"
#include "workloads/command/code.h"
#include "workloads/command/params.h"
#include "workloads/command/program.h"
#include "workloads/command/secrets.h"

namespace sweepd::command {

// The program as it can be known before an attempt: words that need its folder are left out.
// Throws std::invalid_argument about a parameter, as plan_of does.
Program program_of(const Params& params, const RunParams& run);

// What to start in this attempt. argv[0] and the words that are files are paths then. Limits and
// `watch_memory` are the caller's.
ProgramStart plan_of(const Params& params, const Context& context, const Secrets& secrets);

// The queue may be long, and a file may change before its attempt starts. What ran would then not
// be what the trial says. Throws std::invalid_argument naming what changed.
void refuse_changed_code(const Params& params, const RunParams& run);

}  // namespace sweepd::command
