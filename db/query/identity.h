// What ran, beside a trial's parameters: results of one trial by different code, builds, versions
// of LibTorch or drivers, or on different machines, are told apart where a query names one of
// these, and then each has its own newest result. Elsewhere only the newest of all counts. So it is
// with a device that a query asks for by name: the newest result on another GPU of the host does
// not hide it.
#pragma once

#include <string>
#include <vector>

#include "db/query/plan.h"

namespace sweepd {

// Those of the columns `code`, `machine`, `build`, `torch` and `driver` that the plan filters by or
// shows, and `device_name` if it filters by one.
std::vector<Common> identities_in(const QueryPlan& plan);
bool is_identity(Common column);

// The column's value for the attempt `attempt` of a statement with the environment `environment`;
// "" where it is not known.
std::string identity_expression(Common column, std::string_view attempt,
                                std::string_view environment);

// A condition on attempt `a` with environment `e`: it counts among those of the same trial, pass,
// repeat, host and identities.
std::string counts_among(const std::vector<Common>& identities);

// An error if cells would mix several identities, which no trial's parameters tell apart.
Result<void> check_identities(const QueryPlan& plan);

// Accepts a stored value or a prefix of a single one with 4 characters or more, such as of a
// commit.
Result<Value> parse_identity(ReaderState& state, Common column, const std::string& name,
                             const std::string& text);

}  // namespace sweepd
