// Reads the operators of profile passes as figures: the rows of torch.profiler's table.
#include <fmt/format.h>

#include <map>

#include "db/query/results/figures.h"
#include "runner/model/vocabulary/result_column.h"

namespace sweepd {
namespace {

// If nothing ran on a device, its clock has no figures.
constexpr const char* kOperators =
    "SELECT attempt, rank, phase, range, operator, calls, self_cpu_ns, total_cpu_ns, "
    "iif(d.used, self_device_ns, NULL) AS self_device_ns, "
    "iif(d.used, total_device_ns, NULL) AS total_device_ns FROM operator, gpu d "
    "WHERE attempt = ?1";
// On a GPU the kernels are rows too, with no CPU time, as in torch.profiler's table. A sum over all
// rows must not count them in addition to the operators that launched them.
constexpr const char* kKernels =
    " UNION ALL SELECT attempt, rank, phase, range, short_name, calls, 0, 0, total_ns, total_ns "
    "FROM kernel, gpu d WHERE attempt = ?1 AND d.used";
constexpr const char* kDevice =
    "WITH gpu AS (SELECT EXISTS (SELECT 1 FROM operator WHERE attempt = ?1 AND "
    "self_device_ns > 0) AS used) ";

}  // namespace

std::vector<FigureRow> FigureReader::from_operators(std::int64_t attempt) {
  if (!stored_) {
    const bool by_operator = plan_.has_dimension(ResultColumn::kOperator) ||
                             plan_.filter(ResultColumn::kOperator) != nullptr;
    stored_.emplace(
        state_.connection,
        fmt::format("{}SELECT {}{}, {} FROM ({}{}) WHERE attempt = ?1{}{} GROUP BY {}", kDevice,
                    place_columns(), key_columns(), metric_columns(), kOperators,
                    by_operator ? kKernels : "", name_filter_, place_filter_, group_numbers()));
  }
  // Device time appears in a kernel's own row and in its operator's, so the whole of the device is
  // the sum over kernels alone. The whole of the CPU is the sum of the operators' self times.
  std::map<std::pair<std::int64_t, std::int64_t>, double> cpu_ns, device_ns;
  for (auto* whole : {&cpu_ns, &device_ns}) {
    const bool cpu = whole == &cpu_ns;
    Query totals(state_.connection,
                 fmt::format("SELECT {}, sum({}) FROM {} WHERE attempt = ?{}{} GROUP BY 1, 2",
                             place_columns(), cpu ? "self_cpu_ns" : "total_ns",
                             cpu ? "operator" : "kernel", phase_filter_, place_filter_));
    totals.bind(attempt);
    while (totals.next()) {
      (*whole)[{totals.integer(0), totals.integer(1)}] = totals.real(2);
    }
  }
  Query& query = *stored_;
  query.rewind();
  query.bind(attempt);
  return grouped(query, [&](const std::string& metric, const FigureRow& row) {
    if (!metric.ends_with("_share")) return 0.0;
    return (metric == "operator_self_device_share" ? device_ns : cpu_ns)[{row.phase, row.rank}];
  });
}

}  // namespace sweepd
