// Prints the operators of a step as torch.profiler does.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "db/query/kernel_cells.h"
#include "db/query/kernel_tables.h"

namespace sweepd {
namespace {

struct OperatorGroup {
  std::string name;
  std::int64_t calls = 0;
  double self_cpu_ns = 0, total_cpu_ns = 0, self_device_ns = 0, total_device_ns = 0;
};

std::vector<OperatorGroup> operators_of(Connection& connection, std::int64_t attempt,
                                        const KernelView& view) {
  const std::string where = "WHERE x.attempt = ? AND x.rank = ? AND (? = '' OR p.text = ?3) ";
  Query query(connection,
              "SELECT n.text, sum(x.calls), sum(x.self_cpu_ns), sum(x.total_cpu_ns), "
              "sum(x.self_device_ns), sum(x.total_device_ns) FROM operator x "
              "JOIN name n ON n.id = x.operator JOIN name p ON p.id = x.phase " +
                  where + "GROUP BY n.id");
  query.bind_all(attempt, view.rank, view.phase);
  std::vector<OperatorGroup> groups;
  double device_ns = 0;
  while (query.next()) {
    groups.push_back({query.text(0), query.integer(1), query.real(2), query.real(3), query.real(4),
                      query.real(5)});
    device_ns += groups.back().self_device_ns;
  }
  if (device_ns > 0) {
    // As in torch.profiler, the kernels are rows too, with no CPU time.
    Query kernels(connection,
                  "SELECT n.text, sum(x.calls), sum(x.total_ns) FROM kernel x "
                  "JOIN name n ON n.id = x.short_name JOIN name p ON p.id = x.phase " +
                      where + "GROUP BY n.id");
    kernels.bind_all(attempt, view.rank, view.phase);
    while (kernels.next()) {
      groups.push_back(
          {kernels.text(0), kernels.integer(1), 0, 0, kernels.real(2), kernels.real(2)});
    }
  }
  std::stable_sort(groups.begin(), groups.end(), [&](const auto& a, const auto& b) {
    return device_ns > 0 ? a.self_device_ns > b.self_device_ns : a.self_cpu_ns > b.self_cpu_ns;
  });
  return groups;
}

}  // namespace

Table operator_table(Connection& connection, std::int64_t attempt, const KernelView& view) {
  auto groups = operators_of(connection, attempt, view);
  double cpu_ns = 0, twice_device_ns = 0;  // in a kernel's row and in its operator's
  for (const OperatorGroup& group : groups) {
    cpu_ns += group.self_cpu_ns;
    twice_device_ns += group.self_device_ns;
  }
  const double device_ns = twice_device_ns / 2;
  const bool device = device_ns > 0;
  Table table;
  table.title = title_of(view, "Operators");
  table.columns.push_back({"Name", "", Align::kLeft});
  const auto right = [&](const char* name, const char* unit) {
    table.columns.push_back({name, unit, Align::kRight});
  };
  right("Self CPU", "%");
  right("Self CPU", "ms");
  right("CPU total", "%");
  right("CPU total", "ms");
  right("CPU time avg", "us");
  if (device) {
    right("Self CUDA", "ms");
    right("Self CUDA", "%");
    right("CUDA total", "ms");
    right("CUDA time avg", "us");
  }
  right("# of Calls", "");
  keep_top(groups, table, view.top);
  for (const OperatorGroup& group : groups) {
    const auto calls = static_cast<double>(std::max<std::int64_t>(1, group.calls));
    auto& row = table.rows.emplace_back();
    row = {text(group.name),
           share(group.self_cpu_ns, cpu_ns),
           number(group.self_cpu_ns / kNsPerMs, 3),
           share(group.total_cpu_ns, cpu_ns),
           number(group.total_cpu_ns / kNsPerMs, 3),
           number(group.total_cpu_ns / calls / kNsPerUs, 2)};
    if (device) {
      row.push_back(number(group.self_device_ns / kNsPerMs, 3));
      row.push_back(share(group.self_device_ns, device_ns));
      row.push_back(number(group.total_device_ns / kNsPerMs, 3));
      row.push_back(number(group.total_device_ns / calls / kNsPerUs, 2));
    }
    row.push_back(count(group.calls));
  }
  table.notes.push_back(fmt::format("Self CPU time total: {:.3f} ms", cpu_ns / kNsPerMs));
  if (device) {
    table.notes.push_back(fmt::format("Self CUDA time total: {:.3f} ms", device_ns / kNsPerMs));
  }
  return table;
}

}  // namespace sweepd
