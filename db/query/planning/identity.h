// The identity of a result beside its trial's parameters: code, build, LibTorch, driver and
// machine. A query that names one of these gets the newest result of each value; other queries get
// only the newest of all. The same holds for a device that a query filters by name: a newer result
// on another GPU of the host does not hide its result.
//
// A sweep has its own results (own_results.h). If a query filters by an identity or the host,
// results of other sweeps at its points also count where the sweep has none.
#pragma once

#include <string>
#include <vector>

#include "db/query/planning/plan.h"
#include "runner/model/vocabulary/result_column.h"

namespace sweepd {

// Those of the columns `code`, `machine`, `build`, `torch` and `driver` that the plan filters by or
// shows, and `device_name` if it filters by one.
std::vector<ResultColumn> identities_in(const QueryPlan& plan);
bool is_identity(ResultColumn column);

// The column's value for the attempt `attempt` of a statement with the environment `environment`;
// "" where it is not known.
std::string identity_expression(ResultColumn column, std::string_view attempt,
                                std::string_view environment);

// Whether the plan filters by an identity or a host.
bool asks_for_others(const QueryPlan& plan);

// A condition on attempt `a` with environment `e`: it counts among those of the same trial, pass,
// repeat, host and identities. `sweep`, an expression for the row of a sweep, lets that sweep's own
// results count before others; "" is no sweep.
std::string counts_among(const std::vector<ResultColumn>& identities, std::string_view sweep = "");

// An error if cells would mix several identities, which no trial's parameters separate.
Result<void> check_identities(const QueryPlan& plan);

// Accepts a stored value or a prefix of a single one with 4 characters or more, such as of a
// commit.
Result<Value> parse_identity(ReaderState& state, ResultColumn column, const std::string& name,
                             const std::string& text);
// The same for a computed parameter, the content of programs ("python3.11:1f00aa22
// mm.py:9ab1c2d3"): the beginning of a name or of a hash in it is enough. A text that matches no
// trial stays unchanged.
Result<Value> parse_computed(ReaderState& state, const WorkloadDef& def, std::size_t param,
                             const std::string& text);

}  // namespace sweepd
