// The columns that every result has beside its parameters (docs/DATABASE.md).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sweepd {

enum class ResultColumn {
  kPhase,
  kPass,
  kMetric,
  kStep,
  kRepeat,
  kRank,
  kOutcome,
  kVerdict,
  kHost,
  kDeviceName,
  kCode,  // these five: db/query/planning/identity.h
  kMachine,
  kBuild,
  kTorch,
  kDriver,
  kSweep,
  kFact,
  kFigure,
  kKernel,
  kClass,
  kRange,
  kGrid,
  kBlock,
  kAllocation,  // rank by size: 1 is the largest
  kOrigin,
  kOperator
};

// In the order of ResultColumn.
const std::vector<std::string>& result_column_names();
std::string_view name_of(ResultColumn column);
bool is_integer(ResultColumn column);

}  // namespace sweepd
