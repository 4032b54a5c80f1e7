// `--set`: see Override in spec.h for what it does.
#pragma once

#include <string>
#include <vector>

#include "runner/spec/draft.h"
#include "runner/spec/reporter.h"

namespace sweepd::spec {

// Changes every sweep whose workload has the parameter. Call when the file itself is free of
// mistakes: an override must not hide them.
// Returns the names of those that fit no sweep and need not.
std::vector<std::string> apply_overrides(Reporter& report, std::vector<Draft>& drafts,
                                         const std::vector<Override>& overrides);

}  // namespace sweepd::spec
