// Names and values of a query, resolved against a workload and the columns every result has.
#pragma once

#include <string>
#include <vector>

#include "db/query/plan.h"

namespace sweepd {

// A parameter of the workload, else a common column. `where` says in the message which part of the
// query named it.
Result<ColumnRef> resolve_name(const WorkloadDef& def, const std::string& name,
                               std::string_view where);

// Samples of the set-up: their phase is `setup`.
const std::vector<std::string>& setup_metrics();

// Names that no result has ("range `attention.scores`"). Null: each is an error that says what
// there is instead.
using UnknownNames = std::vector<std::string>*;

// A sample's metric, one of metrics.h, `figure.NAME` or `fact.NAME`; of the last three kinds any
// name is right as long as the workload has no results of the kind.
Result<void> check_metric(ReaderState& state, const WorkloadDef& def, const std::string& metric,
                          UnknownNames unknown);

Result<Value> parse_filter_value(ReaderState& state, const WorkloadDef& def,
                                 const ColumnRef& column, const std::string& name,
                                 const std::string& text, UnknownNames unknown);

// Display order: as a filter lists the values, else as the catalog does.
PlannedDimension describe_dimension(const WorkloadDef& def,
                                    const std::vector<PlannedFilter>& filters,
                                    const std::string& name, const ColumnRef& column);

}  // namespace sweepd
