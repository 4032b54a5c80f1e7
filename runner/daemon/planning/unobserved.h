// Finds programs that could be measured in more detail than their sweep file requests.
#pragma once

#include <string>

#include "runner/model/trial.h"

namespace sweepd {

// Returns a note for a trial of `command` whose Python script, or a module beside it that it
// imports, imports torch although the sweep does not say `observe: torch`; else "". Reads these
// files.
std::string unobserved_torch(const WorkloadDef& def, const Trial& trial);

}  // namespace sweepd
