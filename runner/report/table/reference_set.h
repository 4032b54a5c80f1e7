// Published figures as results, for the tables that ask for them. Pure.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "runner/model/attempt/result_set.h"
#include "runner/model/sweep/reference.h"

namespace sweepd {

// Values of parameters that a table neither names nor filters by: those that the sweep has.
using SweepValues = std::map<std::string, std::set<std::string>>;

// Returns those of `rows` that `read` asks for, with its rows and columns as dimensions; `source`
// and `device_name` are columns like any other. A row that does not state a parameter has "" there,
// and no filter by it lets it pass. A figure with a doubt is suspect, or invalid, for that reason;
// devices and remarks are lines of the set and mark nothing.
ResultSet reference_set(const std::vector<ReferenceRow>& rows, const QuerySpec& read,
                        const SweepValues& sweep);

}  // namespace sweepd
