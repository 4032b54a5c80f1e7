// Several sets of results as one, for tables that draw on several sweeps or on published figures.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "runner/base/result.h"
#include "runner/model/attempt/result_set.h"

namespace sweepd {

// Adds a dimension that has one value for all rows. Does nothing if the set has it already.
void add_dimension(ResultSet& set, const std::string& name, const std::string& value);

// Puts the rows of all sets into one, in order. The sets must have the same dimensions among
// `names`; a dimension that only some have besides covers every value in the others. An attempt
// that two sweeps share counts once. Values stand in the order of the sets, numbers in that of
// their size if each set has them so. Fails if the metric has different units in them.
Result<ResultSet> merge_sets(std::vector<ResultSet> sets, const std::vector<std::string>& names);

namespace report {

// Gives results that were read separately one numbering of their dimensions' values, so that a
// point has the same key in all of them: the named dimensions get the same values in the same order
// in every set. That is the order of the first set; a value that only a later set has follows the
// value that precedes it there. Sets that lack a dimension are not changed.
void share_dictionaries(std::vector<ResultSet>& sets, const std::vector<std::string>& names);

}  // namespace report
}  // namespace sweepd
