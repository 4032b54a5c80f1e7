// The lines under a table that say what the errors of its means are of.
#pragma once

#include <string>
#include <vector>

#include "runner/report/layer.h"

namespace sweepd::report {

// Says what `{sem}` and `{ci95}` of the shown rows are of, and why some cells have none.
std::vector<std::string> error_notes(const std::vector<Layer>& layers,
                                     const std::vector<Key>& rows);

}  // namespace sweepd::report
