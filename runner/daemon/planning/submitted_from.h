// Where a sweep was submitted: what a program needs of that to be found later, when another process
// starts it.
#pragma once

#include <string>
#include <vector>

#include "runner/sweepfile/sweepfile.h"

namespace sweepd {

struct SubmittedFrom {
  std::string folder;                    // of the sweep file; "" is unknown
  std::vector<std::string> environment;  // "NAME=value"
};

// Gives the sweep's trials these, if their workload has the parameters for it (`command`) and the
// file does not set them. Of the environment, only what decides which programs are found, and what
// an `env` of the sweep names. Call before expand.
void set_origin(Sweep& sweep, const WorkloadDef& def, const SubmittedFrom& from);

// What `set_origin` has kept of the environment, as in SubmittedFrom.
std::vector<std::string> kept_environment(const Sweep& sweep, const WorkloadDef& def);

}  // namespace sweepd
