// A QuerySpec after its names and values were checked: what to read, and in which order to show it.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "db/query/metrics.h"
#include "db/query/state.h"
#include "runner/model/result_set.h"

namespace sweepd {

enum class Common {
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
  kSweep,
  kFact,
  kFigure,
  kKernel,
  kClass,
  kRange,
  kGrid,
  kBlock,
  kAllocation,  // place by size: 1 is the largest
  kOrigin,
  kOperator
};

// A parameter by its index in WorkloadDef::params, or a column every result has.
using ColumnRef = std::variant<std::size_t, Common>;

struct PlannedDimension {
  std::string name;
  ColumnRef column;
  bool numeric = false;
  std::vector<std::string> preferred;  // values in display order, as far as it is prescribed
  std::string last;                    // the value that stands behind all others; "" is none
};

struct PlannedFilter {
  ColumnRef column;
  std::vector<Value> values;  // any of them; texts for Common but the numeric ones
};

// What the reader may join into one row.
enum class Pooling {
  kMoments,      // n, mean, std and, `with_extremes`, min and max are all that is wanted of several
  kEachAttempt,  // order statistics, rates
};

struct ResultPlan {
  const WorkloadDef* def = nullptr;
  std::optional<std::int64_t> sweep;  // row
  std::vector<PlannedDimension> dimensions;
  std::vector<PlannedFilter> filters;
  std::vector<std::string> metrics;  // empty: every metric of the pass
  std::vector<std::string> phases;   // empty: every phase
  std::vector<Pass> passes;          // empty: every pass
  FigureSource source = FigureSource::kSummary;
  // Dimensions from kFact on, which only their source knows, as indices into `dimensions`.
  std::vector<std::size_t> keys;
  // Figures and facts are of the trial, whichever of its passes left them there.
  bool any_pass = false;
  bool by_phase = false, by_step = false, by_rank = false, by_metric = false;
  bool slowest_rank = false;  // `rank: slowest`: of each step the rank that ended it last
  bool warmup = false;
  // What the query names and no result has; only of a declared table.
  std::vector<std::string> unknown;
  Pooling pooling = Pooling::kMoments;
  bool with_extremes = false;  // min, max
  bool with_text = false;      // `{text}`: of a figure that is its formula
  bool with_work = false;      // flops, bytes, tokens and peaks are wanted
  // How many of `dimensions` the query named; what stands behind tells pooled results apart.
  std::size_t named_dimensions = 0;

  const PlannedFilter* filter(Common column) const;
  bool has_dimension(Common column) const;
};

// The value of a filter `rank: slowest`.
inline constexpr std::int64_t kSlowestRank = -1;

// Phase, metric, step, rank and what only one source knows: an attempt has many of them.
bool decided_by_figures(const ColumnRef& column);
// Whether figures of `source` have a column of their own for it.
bool has_column(FigureSource source, Common column);
bool is_integer(Common column);  // step, repeat, rank, allocation

// Inside `ask`. Errors name the unknown or ill-typed thing and the nearest known one.
Result<ResultPlan> plan_results(ReaderState& state, const QuerySpec& query);

}  // namespace sweepd
