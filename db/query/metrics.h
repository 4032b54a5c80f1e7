// Where each metric of a query is read from. One table for what has columns of its own; everything
// else is the metric of a sample.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sweepd {

enum class FigureSource {
  kSummary,     // one row a phase
  kSample,      // steps or ranks apart
  kMemory,      // the memory pass's table
  kFigure,      // analytic, of the trial: exists whatever the outcome
  kFact,        // named results of an attempt, numbers and texts
  kKernel,      // kernels of the profile pass
  kOperator,    // operators of the profile pass, on both clocks
  kAllocation,  // blocks of the memory pass
};

struct StoredMetric {
  std::string name;
  FigureSource source;
  // An aggregate over the rows that a result stands for. NULL: this figure does not exist for them.
  std::string sql;
};

const std::vector<StoredMetric>& stored_metrics();
const StoredMetric* find_stored_metric(std::string_view name);  // null when it is none

// By the metric's name alone: kSummary for those of samples.
FigureSource source_of_metric(std::string_view name);
// "parameters" of figure.parameters; "" of `figure` and `fact`, which mean all of them, and of
// every other metric.
std::string_view name_within(std::string_view metric);
// "the memory pass" ...: for messages.
std::string_view describe(FigureSource source);

}  // namespace sweepd
