// One parameter that a sweep file declares for its program.
#pragma once

#include <optional>

#include "runner/model/vocabulary/catalog.h"
#include "runner/sweepfile/yaml/node.h"
#include "runner/sweepfile/yaml/reporter.h"

namespace sweepd::sweepfile {

// Reads `size: {type: integer, default: 512, unit: rows, help: ..., minimum: 1}`, or `size: 512`.
// Without `type`, `choices` or the default decide it. Returns nothing after reporting a mistake.
std::optional<ParamDef> read_declared_param(Reporter& report, const Node& key, const Node& value);

}  // namespace sweepd::sweepfile
