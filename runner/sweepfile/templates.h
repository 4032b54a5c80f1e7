// Checks templates against whole trials: whether a trial sets the parameters that they name.
#pragma once

#include <optional>
#include <string>

#include "runner/sweepfile/sweepfile.h"

namespace sweepd {

// Returns the first trial that cannot run: a command line is empty, or a template names a parameter
// that the trial leaves "not given" (an empty text, the number 0). Only the workload's own
// parameters are checked, because every trial has the run's. The message names the trial by `axes`
// (label_of). Empty if there is none.
std::optional<std::string> mistake_in_templates(const WorkloadDef& def, const Expansion& expansion,
                                                const std::vector<std::size_t>& axes = {});

}  // namespace sweepd
