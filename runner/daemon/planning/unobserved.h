// Programs that could be measured more closely than their sweep file asks for.
#pragma once

#include <string>

#include "runner/model/trial.h"

namespace sweepd {

// Returns a note for a trial of `command` whose Python script, or a module beside it that it
// imports, imports torch although the sweep does not say `observe: torch`; else "". Reads these
// files.
std::string unobserved_torch(const WorkloadDef& def, const Trial& trial);

}  // namespace sweepd
