// A QuerySpec after its names and values were checked: what to read, and in which order to show it.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

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
  kSweep
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
  std::vector<Value> values;  // any of them; texts for Common but step, repeat and rank
};

enum class FigureSource {
  kSummary,  // one row a phase
  kSample,   // steps or ranks apart
  kMemory,   // the memory pass's table
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
  bool by_phase = false, by_step = false, by_rank = false, by_metric = false;
  bool warmup = false;
  bool with_work = false;  // flops, bytes, tokens and peaks are wanted
  // How many of `dimensions` the query named; what stands behind tells pooled results apart.
  std::size_t named_dimensions = 0;

  const PlannedFilter* filter(Common column) const;
};

// Metrics of the `memory` table, each the column of its name.
const std::vector<std::string>& memory_metrics();

// Inside `ask`. Errors name the unknown or ill-typed thing and the nearest known one.
Result<ResultPlan> plan_results(ReaderState& state, const QuerySpec& query);

}  // namespace sweepd
