// A QuerySpec with checked names and values: the rows to read and their display order.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "db/query/planning/metrics.h"
#include "db/query/state.h"
#include "runner/model/attempt/result_set.h"
#include "runner/model/vocabulary/result_column.h"

namespace sweepd {

// A parameter, as its index in WorkloadDef::params, or a column that every result has.
using ColumnRef = std::variant<std::size_t, ResultColumn>;

struct PlannedDimension {
  std::string name;
  ColumnRef column;
  bool numeric = false;
  std::vector<std::string> preferred;  // values in display order, if one is prescribed
  std::string last;                    // the value that comes after all others; "" is none
};

struct PlannedFilter {
  ColumnRef column;
  std::vector<Value>
      values;  // matches any of them; texts except for the numeric columns of ResultColumn
};

// Whether the reader may combine several attempts into one row.
enum class Pooling {
  kMoments,      // only n, mean, std and, `with_extremes`, min and max are needed
  kEachAttempt,  // order statistics, rates or errors of means are needed
};

struct QueryPlan {
  const WorkloadDef* def = nullptr;
  std::optional<std::int64_t> sweep;  // row
  bool newest = false;                // QuerySpec::newest
  std::vector<PlannedDimension> dimensions;
  std::vector<PlannedFilter> filters;
  std::vector<std::string> metrics;  // empty: every metric of the pass
  std::vector<std::string> phases;   // empty: every phase
  std::vector<Pass> passes;          // empty: every pass
  FigureSource source = FigureSource::kSummary;
  // Dimensions from kFact on, which only their own source has, as indices into `dimensions`.
  std::vector<std::size_t> keys;
  // Figures and facts belong to the trial, also if several of its passes store them.
  bool any_pass = false;
  bool by_phase = false, by_step = false, by_rank = false, by_metric = false;
  bool slowest_rank = false;  // `rank: slowest`: in each step the rank that ended it last
  bool warmup = false;
  // Names in the query that no result has; only allowed in a declared table.
  std::vector<std::string> unknown;
  Pooling pooling = Pooling::kMoments;
  bool with_extremes = false;  // min, max
  bool with_text = false;      // `{text}`: for a figure, its formula
  bool with_work = false;      // flops, bytes, tokens and peaks are wanted
  // How many of `dimensions` the query named. The others distinguish pooled results.
  std::size_t named_dimensions = 0;

  const PlannedFilter* filter(ResultColumn column) const;
  bool has_dimension(ResultColumn column) const;
};

// The value that the filter `rank: slowest` has.
inline constexpr std::int64_t kSlowestRank = -1;

// True for phase, metric, step, rank and the columns of one source: an attempt has many values of
// them.
bool decided_by_figures(const ColumnRef& column);
// Returns whether figures of `source` have a column of their own for it.
bool has_column(FigureSource source, ResultColumn column);

// Call inside `ask`. Errors name the unknown or ill-typed item and the nearest known one.
Result<QueryPlan> plan_results(ReaderState& state, const QuerySpec& query);

}  // namespace sweepd
