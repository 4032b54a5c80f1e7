// The source of each metric of a query. stored_metrics() lists those that have their own
// columns; every other metric is that of a sample.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sweepd {

enum class FigureSource {
  kSummary,     // one row a phase
  kSample,      // steps or ranks kept apart
  kMemory,      // the memory pass's table
  kFigure,      // analytic, belongs to the trial: exists for any outcome
  kFact,        // named results of an attempt, numbers and texts
  kKernel,      // kernels of the profile pass
  kOperator,    // operators of the profile pass, on both clocks
  kAllocation,  // blocks of the memory pass
  kSteadiness,  // of the times of each phase
};

struct StoredMetric {
  std::string name;
  FigureSource source;
  // An aggregate over the rows that a result covers. NULL means that they have no such figure.
  std::string sql;
};

const std::vector<StoredMetric>& stored_metrics();
const StoredMetric* find_stored_metric(std::string_view name);  // null if there is none

// Decides by the metric's name alone: kSummary for metrics of samples.
FigureSource source_of_metric(std::string_view name);
// Returns "parameters" for figure.parameters, and "" for every other metric and for plain `figure`
// and `fact`, which mean all of them.
std::string_view name_within(std::string_view metric);
// Returns "the memory pass" and the like, for messages.
std::string_view describe(FigureSource source);

}  // namespace sweepd
