// Resolves the names and values of a query against a workload and the columns that every result
// has.
#pragma once

#include <string>
#include <vector>

#include "db/query/planning/plan.h"

namespace sweepd {

// Finds a parameter of the workload, else a common column. `where` tells the error message which
// part of the query named it.
Result<ColumnRef> resolve_name(const WorkloadDef& def, const std::string& name,
                               std::string_view where);

// Collects names that no result has ("range `attention.scores`"). If null, each such name is an
// error that lists the existing ones.
using UnknownNames = std::vector<std::string>*;

// Accepts a sample's metric, a known one (known_metric.h), `figure.NAME` or `fact.NAME`. For the
// last three kinds any name is accepted as long as the workload has no results of the kind.
Result<void> check_metric(ReaderState& state, const WorkloadDef& def, const std::string& metric,
                          UnknownNames unknown);

Result<Value> parse_filter_value(ReaderState& state, const WorkloadDef& def,
                                 const ColumnRef& column, const std::string& name,
                                 const std::string& text, UnknownNames unknown);

// The display order is that of the values in a filter, else that of the catalog.
PlannedDimension describe_dimension(const WorkloadDef& def,
                                    const std::vector<PlannedFilter>& filters,
                                    const std::string& name, const ColumnRef& column);

}  // namespace sweepd
