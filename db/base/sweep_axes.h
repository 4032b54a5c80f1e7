// The axes of stored sweeps, by which the labels of their attempts name points (label_of).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/base/connection.h"
#include "runner/model/sweep/trial.h"
#include "runner/model/vocabulary/catalog.h"

namespace sweepd {

// Axes are indices into WorkloadDef::params of the sweep's workload.
using SweepAxes = std::vector<std::size_t>;

// Call inside the transaction that inserted the sweep's row.
void insert_axes(Connection& connection, std::int64_t sweep, const WorkloadDef& def,
                 const SweepAxes& axes);

// Returns the declared axes in the file's order, without those that this build does not know. For a
// sweep that was stored without any: the parameters in which its trials differ, in catalog order.
SweepAxes read_axes(Connection& connection, std::int64_t sweep, const WorkloadDef& def);

// An expression for the sweep whose axes name an attempt: the first that wants it, a live one
// before a cancelled one; NULL if there is none. `row` is an expression for the attempt's row.
std::string first_sweep_of(const std::string& row);

// Gives the trial the values of `priority`, `timeout` and `repeats` that the sweep wants in this
// pool, and the pool.
void set_per_sweep(Connection& connection, std::int64_t sweep, std::int64_t trial_row,
                   const std::string& pool, const WorkloadDef& def, Trial& trial);

}  // namespace sweepd
