#include "db/query/metrics.h"

#include <fmt/format.h>

#include <algorithm>

#include "db/base/record_rows.h"
#include "runner/model/memory.h"

namespace sweepd {
namespace {

constexpr std::string_view kFigurePrefix = "figure.";
constexpr std::string_view kFactPrefix = "fact.";

std::vector<StoredMetric> make_metrics() {
  std::vector<StoredMetric> metrics;
  // Over several ranks, the one that needs the most.
  for (const RecordColumn& column : columns_of<PhaseMemory>()) {
    if (column.show != Show::kBytes) continue;
    metrics.push_back({column.name, FigureSource::kMemory, fmt::format("max({})", column.name)});
  }
  const auto kernel = [&](const char* name, const char* sql) {
    metrics.push_back({name, FigureSource::kKernel, sql});
  };
  kernel("kernel_time", "sum(total_ns) / 1e6");
  kernel("kernel_calls", "sum(calls)");
  // The reader divides by the attempt's kernel time in the same phases.
  kernel("kernel_share", "sum(total_ns)");
  kernel("kernel_mean", "sum(total_ns) / sum(calls) / 1e6");
  // SQL has no median. The reader combines the medians of the launch shapes (weighted_median.h).
  kernel("kernel_median", "0");
  kernel("kernel_min", "min(min_ns) / 1e6");
  kernel("kernel_max", "max(max_ns) / 1e6");
  kernel("kernel_std",
         "iif(sum(calls) > 1, sqrt(max(0, sum((calls - 1) * std_ns * std_ns + calls * mean_ns * "
         "mean_ns) - sum(calls * mean_ns) * sum(calls * mean_ns) / sum(calls)) / "
         "(sum(calls) - 1)) / 1e6, 0)");
  const auto op = [&](const char* name, const char* sql) {
    metrics.push_back({name, FigureSource::kOperator, sql});
  };
  op("operator_calls", "sum(calls)");
  op("operator_self_cpu_time", "sum(self_cpu_ns) / 1e6");
  op("operator_cpu_time", "sum(total_cpu_ns) / 1e6");
  op("operator_cpu_mean", "sum(total_cpu_ns) / sum(calls) / 1e6");
  // The reader divides these by the totals of the step's operators and kernels in the same phases.
  op("operator_self_cpu_share", "sum(self_cpu_ns)");
  op("operator_cpu_share", "sum(total_cpu_ns)");
  op("operator_self_device_time", "sum(self_device_ns) / 1e6");
  op("operator_device_time", "sum(total_device_ns) / 1e6");
  op("operator_device_mean", "sum(total_device_ns) / sum(calls) / 1e6");
  op("operator_self_device_share", "sum(self_device_ns)");
  metrics.push_back({"steady_from", FigureSource::kSteadiness, "steady_from"});
  metrics.push_back({"allocation_bytes", FigureSource::kAllocation, "size_bytes"});
  return metrics;
}

}  // namespace

const std::vector<StoredMetric>& stored_metrics() {
  static const std::vector<StoredMetric> metrics = make_metrics();
  return metrics;
}

const StoredMetric* find_stored_metric(std::string_view name) {
  const auto& all = stored_metrics();
  const auto found = std::find_if(
      all.begin(), all.end(), [name](const StoredMetric& metric) { return metric.name == name; });
  return found == all.end() ? nullptr : &*found;
}

FigureSource source_of_metric(std::string_view name) {
  if (name == "figure" || name.starts_with(kFigurePrefix)) return FigureSource::kFigure;
  if (name == "fact" || name.starts_with(kFactPrefix)) return FigureSource::kFact;
  const StoredMetric* stored = find_stored_metric(name);
  return stored == nullptr ? FigureSource::kSummary : stored->source;
}

std::string_view name_within(std::string_view metric) {
  for (const std::string_view prefix : {kFigurePrefix, kFactPrefix}) {
    if (metric.starts_with(prefix)) return metric.substr(prefix.size());
  }
  return "";
}

std::string_view describe(FigureSource source) {
  switch (source) {
    case FigureSource::kSummary:
    case FigureSource::kSample:
      return "samples";
    case FigureSource::kMemory:
      return "the memory pass";
    case FigureSource::kFigure:
      return "analytic figures";
    case FigureSource::kFact:
      return "facts";
    case FigureSource::kKernel:
      return "kernels";
    case FigureSource::kOperator:
      return "operators";
    case FigureSource::kAllocation:
      return "allocations";
    case FigureSource::kSteadiness:
      return "the steps of each phase together";
  }
  return "";
}

}  // namespace sweepd
