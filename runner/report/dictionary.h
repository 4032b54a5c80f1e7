// Results that were read apart number their dimensions' values apart. This gives them one
// numbering, so that a point has the same key in all of them.
#pragma once

#include <string>
#include <vector>

#include "runner/model/result_set.h"

namespace sweepd::report {

// The named dimensions get the same values in the same order in every set: the first set's order,
// with what only later sets know behind the value that precedes it there. Sets that lack a
// dimension are left as they are.
void share_dictionaries(std::vector<ResultSet>& sets, const std::vector<std::string>& names);

}  // namespace sweepd::report
