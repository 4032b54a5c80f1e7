// Checks templates against whole trials: whether a trial sets the parameters that they name.
#pragma once

#include <optional>
#include <string>

#include "runner/sweepfile/sweep/sweepfile.h"

namespace sweepd {

// Returns the first trial that cannot run: a command line is empty, or a template names a parameter
// that the trial does not set: it has an empty text or the number 0, and the sweep gives that value
// nowhere. Only the workload's own parameters are checked, because every trial has the run's. The
// message names the trial by the sweep's axes (label_of). Empty if there is none.
std::optional<std::string> mistake_in_templates(const WorkloadDef& def, const Expansion& expansion,
                                                const Sweep& sweep);

}  // namespace sweepd
