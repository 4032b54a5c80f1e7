// Reads the figures of one attempt from the plan's source.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "db/query/known_median.h"
#include "db/query/planning/plan.h"
#include "db/query/planning/selection.h"
#include "runner/model/measurement/sample.h"

namespace sweepd {

struct FigureRow {
  // Ids of `name`. A metric that is not of samples is its index among the plan's metrics.
  std::int64_t phase = 0, metric = 0;
  std::int64_t step = 0, rank = 0;  // meaningful when they are dimensions
  std::vector<Value> keys;  // by plan.keys: ids of `name`, numbers of allocations, launch shapes
  std::string text;         // a fact that is not a number
  std::string steadiness;   // of the steps behind `stats` (Summary::steadiness); "" if unknown
  Stats stats;
  std::vector<double> samples;
  std::int64_t position = 0;  // of a fact or figure, in the order of the workload
};

// Returns SQL for "128x1x1" of a kernel's `grid` or `block`, and for '' where nothing was launched
// (a copy, an operator).
std::string launch_shape(const std::string& name);

class FigureReader {
 public:
  FigureReader(ReaderState& state, const QueryPlan& plan, bool with_samples);
  std::vector<FigureRow> read(const SelectedAttempt& attempt);
  std::string metric_text(std::int64_t metric);
  // Whether the load of the machine cannot change the figure.
  bool is_without_clock(const FigureRow& figure);

 private:
  std::vector<FigureRow> from_summary(std::int64_t attempt);
  std::vector<FigureRow> from_samples(std::int64_t attempt);
  std::map<std::int64_t, std::int64_t> slowest_ranks(std::int64_t attempt);  // by step
  std::vector<FigureRow> from_steadiness(std::int64_t attempt);
  std::vector<FigureRow> from_memory(std::int64_t attempt);
  std::vector<FigureRow> from_figures(std::int64_t trial);
  std::vector<FigureRow> from_facts(std::int64_t attempt);
  std::vector<FigureRow> from_kernels(std::int64_t attempt);
  std::vector<FigureRow> from_operators(std::int64_t attempt);
  FigureRow group_row(const Query& query) const;
  using Medians = std::map<std::tuple<std::int64_t, std::int64_t, std::vector<Value>>, KnownMedian>;
  Medians kernel_medians(std::int64_t attempt) const;
  std::vector<FigureRow> from_allocations(std::int64_t attempt);
  // Makes one row per group and metric. `query` returns phase, rank, the keys and then each metric.
  // A figure is divided by the result of `whole` for its metric (0: not divided); `medians` are
  // those of kernel_median.
  using Whole = std::function<double(const std::string& metric, const FigureRow& row)>;
  std::vector<FigureRow> grouped(Query& query, const Whole& whole, const Medians& medians = {});
  std::string place_columns() const;  // phase and rank, where rows keep them apart
  std::string group_numbers() const;  // "1, 2, 3": the columns of phase, rank and keys
  std::string metric_columns() const;
  std::string key_columns() const;
  void make_filters();
  std::vector<FigureRow> named(std::int64_t name, std::int64_t rank, double value);
  void add_samples(std::int64_t attempt, std::vector<FigureRow>& rows);
  std::int64_t origin_of_all_layers(std::int64_t origin);

  ReaderState& state_;
  const QueryPlan& plan_;
  bool with_samples_;
  std::optional<Query> summary_;  // kept open, because a query runs it once per attempt
  std::optional<Query> stored_;   // likewise, for figures in a separate table
  std::string name_filter_;       // " AND metric = 3 AND phase IN (1, 2)"
  std::string phase_filter_;      // the filter on phases alone, for the whole of a share
  std::string place_filter_;      // " AND rank IN (0) AND step IN (5)"
  std::vector<std::int64_t>
      metric_names_;  // figures and facts: ids by the plan's metrics, 0 unknown
  std::map<std::int64_t, std::int64_t> origins_;       // of blocks, by their names' ids
  std::map<std::string, std::int64_t> first_origins_;  // by the name without its layer's number
};

}  // namespace sweepd
