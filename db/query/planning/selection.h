// Selects the attempts that answer a query: for each (trial, pass, repeat, host) the one that
// counts, with the plan's attempt-level dimensions decoded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "db/query/planning/coder.h"
#include "db/query/planning/plan.h"
#include "runner/model/vocabulary/outcome.h"

namespace sweepd {

struct SelectedAttempt {
  std::int64_t row = 0, trial = 0;  // of `attempt` and `trial`
  std::int64_t repeat = 0, host = 0;
  Pass pass = Pass::kTiming;
  AttemptId id;
  TrialKey key;
  WallTime started;
  bool pending = false;
  Outcome outcome = Outcome::kDone;
  Verdict verdict = Verdict::kValid;
  std::vector<std::uint32_t> at;  // by dimension; kEveryValue for those that figures decide
};

Verdict verdict_from(std::string_view text);  // an attempt without a verdict is valid
// Returns the type of a dimension's column.
ValueType type_of(const QueryPlan& plan, const ColumnRef& column);

// `coders` has one coder for each of the plan's dimensions. The order is the sweep's own, else by
// trial.
std::vector<SelectedAttempt> select_attempts(ReaderState& state, const QueryPlan& plan,
                                             std::vector<DimensionCoder>& coders);

}  // namespace sweepd
