// Gives results that were read separately one numbering of their dimensions' values, so that a
// point has the same key in all of them.
#pragma once

#include <string>
#include <vector>

#include "runner/model/result_set.h"

namespace sweepd::report {

// Gives the named dimensions the same values in the same order in every set. That is the order of
// the first set; a value that only a later set has follows the value that precedes it there. Sets
// that lack a dimension are not changed.
void share_dictionaries(std::vector<ResultSet>& sets, const std::vector<std::string>& names);

}  // namespace sweepd::report
