// Answers a table whose cells pool many attempts, in one pass over attempts, parameters and
// summaries, each read front to back. 100,000 attempts take as long as a few thousand queried one
// by one. Valid figures that share every dimension become one row. Everything that a table must
// report by itself (suspect, failed, not measured) stays a single attempt.
#pragma once

#include <optional>
#include <vector>

#include "db/query/planning/coder.h"
#include "db/query/planning/plan.h"
#include "db/query/planning/selection.h"

namespace sweepd {

struct PooledScan {
  std::vector<ResultRow> pooled;         // with codes of `coders`, which are not ordered yet
  std::vector<SelectedAttempt> singles;  // in order of their rows
};

// Adds to the plan's dimensions the parameters that may distinguish pooled trials. Returns nothing
// if the query needs each attempt by itself, or has too few to gain from this. Afterwards `coders`
// has one coder for each of the plan's dimensions.
std::optional<PooledScan> scan_pooled(ReaderState& state, QueryPlan& plan,
                                      std::vector<DimensionCoder>& coders);

}  // namespace sweepd
