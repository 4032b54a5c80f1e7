// `--set`: Override (yaml/override.h) describes what it does.
#pragma once

#include <string>
#include <vector>

#include "runner/sweepfile/yaml/draft.h"
#include "runner/sweepfile/yaml/reporter.h"

namespace sweepd::sweepfile {

// Changes every sweep whose workload has the parameter. Call only if the file itself has no
// mistakes, because an override must not hide them. Returns the names that fit no sweep and need
// not.
std::vector<std::string> apply_overrides(Reporter& report, std::vector<Draft>& drafts,
                                         const std::vector<Override>& overrides);

}  // namespace sweepd::sweepfile
