// What only a whole trial shows of its templates: whether it sets what they name.
#pragma once

#include <optional>
#include <string>

#include "runner/spec/spec.h"

namespace sweepd {

// The first trial that cannot run: a command line is empty, or a template names a parameter that
// the trial leaves at "not given" (an empty text, the number 0). Of the workload's own parameters
// only; a trial always has the run's. Empty when there is none.
std::optional<std::string> mistake_in_templates(const WorkloadDef& def, const Expansion& expansion);

}  // namespace sweepd
