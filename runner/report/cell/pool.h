// Computes a cell's figures from its attempts.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runner/base/result.h"
#include "runner/model/attempt/result_set.h"
#include "runner/model/vocabulary/cell_name.h"
#include "runner/report/cell/convert.h"
#include "runner/report/cell/processes.h"

namespace sweepd::report {

// Statistics of the union of several attempts' samples. n, mean, std, min and max are exact from
// the summaries alone (parallel variance); order statistics need every attempt's samples.
struct Pooled {
  Stats stats;
  bool order_known = false;  // whether p05, median, p95 and mad are meaningful
  MeanError error;
  // Work and peaks if all attempts agree; 0 if they differ or are unknown.
  double flops = 0, bytes = 0, tokens = 0, recomputed_flops = 0;
  double peak_flops_per_s = 0, peak_bytes_per_s = 0;
  Verdict verdict = Verdict::kValid;           // the worst
  Verdict verdict_of_count = Verdict::kValid;  // of `n`: the worst that is not about times alone
  bool unsteady = false;                       // the steps of at least one are not on one level
};

// `rows` are done attempts with figures of `metric`; empty gives n = 0.
Pooled pool(std::span<const ResultRow* const> rows, std::string_view metric = "time");

// The partner of a cell: the same point in the baseline.
struct Partner {
  const Pooled* pooled = nullptr;                  // null: there is none
  bool itself = false;                             // the cell is the baseline's own
  std::optional<double> p = {};                    // of the difference from it (significance.h)
  stats::Change change = stats::Change::kUnclear;  // the same
  bool judged = true;  // false: the difference cannot be judged, as with too few steps
};

// Whether the cell is faster or slower than its partner, as `bold` requests.
bool stands_out(const Partner& partner, Bold bold);

// Which time a rate is computed from: the one that its table shows.
enum class RateBasis { kMean, kMedian };

// The figures of one cell by name, in the requested unit.
class Figures {
 public:
  // `unit` is the metric's own (for rates); `convert` converts to the shown unit.
  Figures(const Pooled& pooled, std::string_view unit, Conversion convert, Partner partner = {},
          RateBasis basis = RateBasis::kMean)
      : pooled_(pooled), unit_(unit), convert_(convert), partner_(partner), basis_(basis) {}

  // Returns nothing if the figure does not exist. Fails if it exists but was not read, as an order
  // statistic of several attempts without their samples, or the error of a mean of attempts that
  // the reader pooled.
  Result<std::optional<double>> get(std::string_view name) const;

 private:
  std::optional<double> moment(std::string_view name) const;
  double order(std::string_view name) const;
  // The least time in seconds that the device's peaks allow for the work (the roofline model).
  std::optional<double> floor_s() const;
  std::optional<double> derived(std::string_view name) const;
  Result<std::optional<double>> error_of_mean(std::string_view name) const;
  Result<std::optional<double>> compared(const CellName& figure) const;

  const Pooled& pooled_;
  std::string_view unit_;
  Conversion convert_;
  Partner partner_;
  RateBasis basis_;
};

}  // namespace sweepd::report
