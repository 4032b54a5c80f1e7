// Results in long form: what a query reads and a pivot turns into a table. Dimension values are
// dictionary-coded, so that a hundred thousand trials pivot by comparing integers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runner/base/ids.h"
#include "runner/model/outcome.h"
#include "runner/model/sample.h"
#include "runner/model/sweep.h"
#include "runner/model/verdict.h"

namespace sweepd {

// Parameters that a sweep file lists together (a zip group, include points), with their points in
// its order: rows follow them instead of each parameter's own order.
struct FileOrder {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> points;  // each as long as `names`
};

struct QuerySpec {
  std::string workload;  // required unless a sweep is named
  SweepId sweep;         // "" is every trial of the workload
  TableSpec table;
  bool only_varying = false;  // drop dimensions that have one value
  // The table of a sweep file: a metric, range or kernel that no result has leaves its cells blank.
  // Who asks by hand is told of the mistake instead.
  bool declared = false;
  std::vector<FileOrder> file_order;
};

struct Dimension {
  std::string name;
  bool numeric = false;             // right-aligned
  std::vector<std::string> values;  // in display order: a sweep's own order of first appearance, or
                                    // typed order (numbers ascending, choices as the catalog lists)
};

// In ResultRow::at of a row without a figure: it stands for every value of that dimension. An
// attempt that ran out of memory has no phases, yet each phase's column must say so.
inline constexpr std::uint32_t kEveryValue = 0xffffffff;

// One attempt's figure for one phase and metric (or one step of it, with `step` among the
// dimensions), a fact that is text, or the one row of a trial that has no figure.
struct ResultRow {
  std::vector<std::uint32_t> at;  // index into each Dimension's values
  Outcome outcome = Outcome::kDone;
  bool pending = false;  // queued or running: no outcome yet
  // n = 0: no figure. An analytic figure exists whatever the outcome; all others need `done`.
  Stats stats;
  std::string text;                         // a fact that is no number, such as a dtype
  std::vector<double> samples;              // filled when QueryNeeds::samples
  double flops = 0, bytes = 0, tokens = 0;  // per step, of this row's phase; 0 when unknown
  double peak_flops_per_s = 0, peak_bytes_per_s = 0;  // of all ranks' devices; 0 when unknown
  Verdict verdict = Verdict::kValid;
  std::string note;  // why suspect, invalid, or not done
  AttemptId attempt;
  // More than one: figures of so many valid attempts, pooled by the reader. Order statistics, and
  // min and max that no cell shows, are NaN; `attempt` is "", kEveryValue is where they differ.
  std::int64_t attempts = 1;
  bool several_trials = false;
  TrialKey trial;  // tells repeats of one trial from different trials in one cell; "" if unknown
};

// Dimensions beyond the query's rows and columns are welcome: they name what pooled results differ
// in.
struct ResultSet {
  std::string metric;
  std::string unit;  // of every Stats value in `rows`: "ms", "B" ...
  std::vector<Dimension> dimensions;
  std::vector<ResultRow> rows;
  std::vector<std::string> unknown;  // "range `attention.scores`": what no result has (declared)
};

}  // namespace sweepd
