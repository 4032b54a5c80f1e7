// The place of a sweep's submission: the folder and variables by which another process later finds
// its program.
#pragma once

#include <string>
#include <vector>

#include "runner/sweepfile/sweep/sweepfile.h"

namespace sweepd {

struct SubmittedFrom {
  std::string folder;                    // of the sweep file; "" is unknown
  std::vector<std::string> environment;  // "NAME=value"
};

// Gives the sweep's trials these, if their workload has the parameters for it (`command`) and the
// file does not set them. Keeps only the variables that locate programs, and those that an `env` of
// the sweep names. Call before expand.
void set_origin(Sweep& sweep, const WorkloadDef& def, const SubmittedFrom& from);

// The part of the environment that `set_origin` kept, as in SubmittedFrom.
std::vector<std::string> kept_environment(const Sweep& sweep, const WorkloadDef& def);

}  // namespace sweepd
