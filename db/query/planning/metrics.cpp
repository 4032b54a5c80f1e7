#include "db/query/planning/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace sweepd {
namespace {

struct StoredSql {
  std::string_view metric, sql;
};

constexpr StoredSql kStored[] = {
    {"kernel_time", "sum(total_ns) / 1e6"},
    {"kernel_calls", "sum(calls)"},
    // The reader divides by the attempt's kernel time in the same phases.
    {"kernel_share", "sum(total_ns)"},
    {"kernel_mean", "sum(total_ns) / sum(calls) / 1e6"},
    // The reader has it where a figure is of one row (known_median.h).
    {"kernel_median", "0"},
    {"kernel_min", "min(min_ns) / 1e6"},
    {"kernel_max", "max(max_ns) / 1e6"},
    {"kernel_std",
     "iif(sum(calls) > 1, sqrt(max(0, sum((calls - 1) * std_ns * std_ns + calls * mean_ns * "
     "mean_ns) - sum(calls * mean_ns) * sum(calls * mean_ns) / sum(calls)) / "
     "(sum(calls) - 1)) / 1e6, 0)"},
    {"operator_calls", "sum(calls)"},
    {"operator_self_cpu_time", "sum(self_cpu_ns) / 1e6"},
    {"operator_cpu_time", "sum(total_cpu_ns) / 1e6"},
    {"operator_cpu_mean", "sum(total_cpu_ns) / sum(calls) / 1e6"},
    // The reader divides these by the totals of the step's operators and kernels in the same
    // phases.
    {"operator_self_cpu_share", "sum(self_cpu_ns)"},
    {"operator_cpu_share", "sum(total_cpu_ns)"},
    {"operator_self_device_time", "sum(self_device_ns) / 1e6"},
    {"operator_device_time", "sum(total_device_ns) / 1e6"},
    {"operator_device_mean", "sum(total_device_ns) / sum(calls) / 1e6"},
    {"operator_self_device_share", "sum(self_device_ns)"},
    {"steady_from", "steady_from"},
    {"allocation_bytes", "size_bytes"},
};

}  // namespace

std::string sql_of_metric(const KnownMetric& metric) {
  // Over several ranks the one that needs most.
  if (metric.source == FigureSource::kMemory) return fmt::format("max({})", metric.name);
  const auto* const found = std::ranges::find(kStored, metric.name, &StoredSql::metric);
  return found == std::end(kStored) ? "" : std::string(found->sql);
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
