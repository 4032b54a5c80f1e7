// Results in long form: a query reads them, and a pivot turns them into a table. Dimension values
// are dictionary-coded, so that a hundred thousand trials are pivoted by comparing integers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/base/clock.h"
#include "runner/base/ids.h"
#include "runner/model/attempt/partial_steps.h"
#include "runner/model/attempt/verdict.h"
#include "runner/model/measurement/sample.h"
#include "runner/model/sweep/sweep.h"
#include "runner/model/vocabulary/metric.h"
#include "runner/model/vocabulary/outcome.h"

namespace sweepd {

// Parameters that a sweep file lists together (a zip group, include points), with their points in
// the file's order. Rows follow that order instead of each parameter's own.
struct FileOrder {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> points;  // each as long as `names`
};

struct QuerySpec {
  std::string workload;  // required unless a sweep is given
  SweepId sweep;         // "" means every trial of the workload
  // The newest result of any sweep counts for each point, instead of the sweep's own.
  bool newest = false;
  TableSpec table;
  bool only_varying = false;  // drop dimensions that have one value
  // The parts of the table's caption, which notes need not repeat.
  std::vector<std::string> said = {};
  // Separate columns behind each figure's: "n" (samples), "attempts", "verdict", "outcome",
  // "attempt" (ids).
  std::vector<std::string> with;
  // The table comes from a sweep file: a metric, range or kernel that no result has leaves its
  // cells blank. In a query by hand the same is an error.
  bool declared = false;
  // The rows are the points of a plot; messages then name the plot.
  bool drawn = false;
  std::vector<FileOrder> file_order;
};

struct Dimension {
  std::string name;
  bool numeric = false;             // right-aligned
  std::vector<std::string> values;  // in display order: a sweep's own order of first appearance, or
                                    // typed order (numbers ascending, choices as the catalog lists)
};

// In ResultRow::at of a row without a figure: the row covers every value of that dimension. An
// attempt that ran out of memory has no phases, but each phase's column must show that.
inline constexpr std::uint32_t kEveryValue = 0xffffffff;

// Attempts whose steps are not on one level.
struct Unsteady {
  std::string how;  // Summary::steadiness, never `steady`
  std::int64_t attempts = 1;
};

// One attempt's figure for one phase and metric (or one step of it, if `step` is a dimension), a
// fact that is a text, or the only row of a trial without a figure.
struct ResultRow {
  std::vector<std::uint32_t> at;  // index into each Dimension's values
  Outcome outcome = Outcome::kDone;
  bool pending = false;  // queued or running: no outcome yet
  // n = 0: no figure. An analytic figure exists for any outcome; all others need `done`.
  Stats stats;
  std::string text;                         // a fact that is not a number, such as a dtype
  std::vector<double> samples;              // filled if the query requested samples
  double flops = 0, bytes = 0, tokens = 0;  // per step, of this row's phase; 0 when unknown
  double recomputed_flops = 0;              // of `flops` (PhaseWork)
  double peak_flops_per_s = 0, peak_bytes_per_s = 0;   // of all ranks' devices; 0 when unknown
  std::string no_flops_peak = {}, no_bytes_peak = {};  // why one is unknown
  // Of this figure: what disturbs times alone makes no size, count or loss suspect.
  Verdict verdict = Verdict::kValid;
  bool times_only = false;         // the verdict is about times, so their number is right
  std::string note;                // why suspect, invalid, or not done; a line for each reason
  std::vector<Unsteady> unsteady;  // those of its attempts, by kind; of times only
  // Of an attempt that is not done, if times are requested.
  std::optional<PartialSteps> partial = {};
  AttemptId attempt;
  WallTime started;  // of that attempt; 0 if unknown
  // If more than one: the figures are those of this many valid attempts, pooled by the reader.
  // Order statistics, and a min and max that no cell shows, are then NaN; `attempt` is "", and a
  // dimension in which the attempts differ is kEveryValue.
  std::int64_t attempts = 1;
  bool several_trials = false;
  TrialKey trial;  // separates repeats of one trial from different trials in one cell; "" if
                   // unknown
};

// Adds attempts whose Summary::steadiness is `how`; nothing for steady ones and unknown ones.
inline void add_unsteady(std::vector<Unsteady>& all, std::string_view how,
                         std::int64_t attempts = 1) {
  if (how.empty() || how == kSteady) return;
  const auto same =
      std::find_if(all.begin(), all.end(), [how](const Unsteady& each) { return each.how == how; });
  if (same == all.end()) {
    all.push_back({std::string(how), attempts});
  } else {
    same->attempts += attempts;
  }
}

// The remarks on a source of published figures.
struct SourceRemark {
  std::string source, text;
  bool is_device = false;  // the text is its device
  bool operator==(const SourceRemark&) const = default;
};

// May have more dimensions than the query's rows and columns: the others name the differences
// between pooled results.
struct ResultSet {
  std::string metric;
  std::string unit;                      // of every Stats value in `rows`: "ms", "B" ...
  Better better = Better::kUnknown;      // of the only metric
  std::vector<MetricDef> declared = {};  // the workload's own metrics (WorkloadDef::metrics)
  std::vector<Dimension> dimensions;
  std::vector<ResultRow> rows;
  std::vector<std::string> unknown;  // "range `attention.scores`": no result has it (declared)
  std::vector<SourceRemark> remarks = {};  // about its published figures, each once
  // Metrics that a table calls as their program does: `val_loss`, `val/loss`.
  std::vector<std::pair<std::string, std::string>> shown = {};
};

// The metric as a table calls it.
inline std::string shown_metric(const ResultSet& results, std::string_view metric) {
  const auto found = std::find_if(results.shown.begin(), results.shown.end(),
                                  [metric](const auto& each) { return each.first == metric; });
  return found == results.shown.end() ? std::string(metric) : found->second;
}

}  // namespace sweepd
