// The tables of `show --memory`.
#pragma once

#include <cstdint>
#include <vector>

#include "db/base/connection.h"
#include "runner/model/measurement/memory_picture.h"
#include "runner/model/sweep/table.h"

namespace sweepd {

// Memory that outlives the step, by kind: measured, and predicted by the trial's figures.
Table held_table(Connection& connection, std::int64_t attempt);

// Memory live at the peak of rank `picture.rank`, by kind, range or phase. Blocks too small for
// their own row share one row.
Table peak_table(Connection& connection, std::int64_t attempt, const MemoryPicture& picture);

// The largest blocks of a rank. Blocks that differ only in the number of their layer share one row.
Table blocks_table(Connection& connection, std::int64_t attempt, int rank, std::size_t most);

// "block12.w1.grad" -> "block*.w1.grad"
std::string fold_layers(const std::string& name);

}  // namespace sweepd
