// What ran, beside a trial's parameters: results of one trial by different code, builds, versions
// of LibTorch or drivers, or on different machines, are told apart where a query names one of
// these, and then each has its own newest result. Elsewhere only the newest of all counts. So it is
// with a device that a query asks for by name: the newest result on another GPU of the host does
// not hide it.
//
// A sweep has results of its own (own_results.h). If a query filters by what ran, or by the host,
// what others measured at the sweep's points counts too, where the sweep itself has no such result.
#pragma once

#include <string>
#include <vector>

#include "db/query/plan.h"
#include "runner/model/result_column.h"

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

// An error if cells would mix several identities, which no trial's parameters tell apart.
Result<void> check_identities(const QueryPlan& plan);

// Accepts a stored value or a prefix of a single one with 4 characters or more, such as of a
// commit.
Result<Value> parse_identity(ReaderState& state, ResultColumn column, const std::string& name,
                             const std::string& text);
// The same for a computed parameter, the content of programs ("python3.11:1f00aa22
// mm.py:9ab1c2d3"): the beginning of a name or of a hash in it is enough. What no trial has stays
// as it is.
Result<Value> parse_computed(ReaderState& state, const WorkloadDef& def, std::size_t param,
                             const std::string& text);

}  // namespace sweepd
