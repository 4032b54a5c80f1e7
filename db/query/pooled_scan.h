// The answer to a table whose cells pool many attempts, read in one pass over attempts, parameters
// and summaries, each front to back: 100,000 attempts in the time that a question for each would
// need for a few thousand. Valid figures that share every dimension become one row; everything that
// a table must say by itself (suspect, failed, not measured) stays a single attempt.
#pragma once

#include <optional>
#include <vector>

#include "db/query/coder.h"
#include "db/query/plan.h"
#include "db/query/selection.h"

namespace sweepd {

struct PooledScan {
  std::vector<ResultRow> pooled;         // codes of `coders`, as rows have before they are ordered
  std::vector<SelectedAttempt> singles;  // in order of their rows
};

// Adds the parameters that may tell pooled trials apart to the plan's dimensions. Nothing when the
// query needs each attempt for itself, or has too few to gain by it. `coders` is one for each of
// the plan's dimensions afterwards.
std::optional<PooledScan> scan_pooled(ReaderState& state, ResultPlan& plan,
                                      std::vector<DimensionCoder>& coders);

}  // namespace sweepd
