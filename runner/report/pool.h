// One cell's figures from the attempts that fall into it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runner/base/result.h"
#include "runner/model/result_set.h"
#include "runner/report/convert.h"

namespace sweepd::report {

// Statistics of the union of several attempts' samples. n, mean, std, min and max are exact from
// the summaries alone (parallel variance); order statistics need every attempt's samples.
struct Pooled {
  Stats stats;
  bool order_known = false;  // are p05, median, p95 and mad meaningful?
  // Work and peaks, where all attempts agree; 0 where they differ or are unknown.
  double flops = 0, bytes = 0, tokens = 0;
  double peak_flops_per_s = 0, peak_bytes_per_s = 0;
  Verdict verdict = Verdict::kValid;  // the worst
};

// `rows` are done attempts with figures; empty gives n = 0.
Pooled pool(std::span<const ResultRow* const> rows);

// The figures of one cell by name, in the unit a person asked for.
class Figures {
 public:
  // `unit` is the metric's own (for rates); `convert` leads to the shown one.
  Figures(const Pooled& pooled, std::string_view unit, Conversion convert)
      : pooled_(pooled), unit_(unit), convert_(convert) {}

  // Empty where the figure does not exist. Fails when it exists but was not read: an order
  // statistic of several attempts without their samples.
  Result<std::optional<double>> get(std::string_view name) const;

 private:
  std::optional<double> moment(std::string_view name) const;
  double order(std::string_view name) const;
  std::optional<double> derived(std::string_view name) const;

  const Pooled& pooled_;
  std::string_view unit_;
  Conversion convert_;
};

}  // namespace sweepd::report
