// The attempts that answer a query: of every (trial, pass, repeat, host) the one that counts, with
// the plan's attempt-level dimensions decoded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/query/coder.h"
#include "db/query/plan.h"
#include "runner/model/outcome.h"

namespace sweepd {

struct SelectedAttempt {
  std::int64_t row = 0, trial = 0;  // of `attempt` and `trial`
  AttemptId id;
  TrialKey key;
  bool pending = false;
  Outcome outcome = Outcome::kDone;
  Verdict verdict = Verdict::kValid;
  std::vector<std::uint32_t> at;  // by dimension; those that figures decide: kEveryValue
};

// True for phase, metric, step and rank: an attempt has many of them.
bool decided_by_figures(const ColumnRef& column);

// `coders` has one for each of the plan's dimensions. In a sweep's own order, else by trial.
std::vector<SelectedAttempt> select_attempts(ReaderState& state, const ResultPlan& plan,
                                             std::vector<DimensionCoder>& coders);

}  // namespace sweepd
