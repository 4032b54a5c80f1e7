#include "db/query/details/kernel_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "db/query/details/kernel_work.h"
#include "db/query/known_median.h"

namespace sweepd {
namespace {

constexpr double kNsPerUs = 1e3;
constexpr double kNsPerMs = 1e6;

Cell number(double value, int digits) {
  return {fmt::format("{:.{}f}", value, digits), value};
}
Cell count(std::int64_t value) {
  return {std::to_string(value), static_cast<double>(value)};
}
Cell text(const std::string& value) {
  return {value, std::nullopt};
}
Cell share(double part, double whole) {
  return number(whole > 0 ? 100 * part / whole : 0, 2);
}

// What the rows add up: the step, or of an imported trace its marked steps or all of it.
std::string covered(Connection& connection, std::int64_t attempt, std::int64_t rank) {
  Query query(connection,
              "SELECT max(iif(n.text = 'trace.steps', f.number, NULL)), "
              "max(iif(n.text = 'profile.steps', f.number, NULL)) FROM fact f "
              "JOIN name n ON n.id = f.name WHERE f.attempt = ? AND f.rank = ?");
  query.bind_all(attempt, rank);
  query.next();
  if (query.maybe_real(0) == 0) return "what was recorded";
  const double steps = query.maybe_real(1).value_or(1);
  return steps > 1 ? fmt::format("{:.0f} steps", steps) : "the step";
}

std::string title_of(Connection& connection, std::int64_t attempt, const KernelView& view,
                     const char* what) {
  std::string of = covered(connection, attempt, view.rank);
  if (!view.phase.empty()) of = of == "the step" ? view.phase : view.phase + ", " + of;
  if (view.rank > 0) of += fmt::format(", rank {}", view.rank);
  return fmt::format("{} of {}", what, of);
}

// Cuts the table to the first `top` rows and notes how many rows there were.
template <class Rows>
void keep_top(Rows& rows, Table& table, std::int64_t top) {
  if (top <= 0 || static_cast<std::int64_t>(rows.size()) <= top) return;
  table.notes.push_back(fmt::format("{} of {} rows", top, rows.size()));
  rows.resize(static_cast<std::size_t>(top));
}

// Of the three columns from this one on.
std::string shape_in(const Query& row, int at) {
  if (row.integer(at) == 0) return "-";
  return fmt::format("{} {} {}", row.integer(at), row.integer(at + 1), row.integer(at + 2));
}

// How a kernel was launched. A trace need not say more than the shapes.
struct Launch {
  std::string grid, block;
  std::int64_t registers = 0, shared_bytes = 0;
  std::optional<double> occupancy, waves;
};

// The rows of one group combined. Mean, extremes and deviation are exact; the median of several
// rows is unknown.
struct Group {
  std::string name;
  Launch launch;  // of one of the rows
  std::int64_t calls = 0;
  double total_ns = 0, min_ns = 0, max_ns = 0;
  double squares = 0;  // sum of squares of the single calls, to merge deviations
  KnownMedian median_ns;
  KernelWork work;

  double mean_ns() const {
    return total_ns / static_cast<double>(std::max<std::int64_t>(1, calls));
  }
  double std_ns() const {
    if (calls < 2) return 0;
    const auto n = static_cast<double>(calls);
    return std::sqrt(std::max(0.0, (squares - n * mean_ns() * mean_ns()) / (n - 1)));
  }
};

std::string key_column(KernelGrouping by) {
  switch (by) {
    case KernelGrouping::kRange:
      return "r.text";
    case KernelGrouping::kClass:
      return "c.text";
    case KernelGrouping::kName:
    case KernelGrouping::kLaunch:
      break;
  }
  return "s.text";
}

void add_row(const Query& row, Group& group) {
  const std::int64_t calls = row.integer(7);
  const double mean = row.real(9), std = row.real(13);
  group.min_ns = group.calls == 0 ? row.real(11) : std::min(group.min_ns, row.real(11));
  group.max_ns = group.calls == 0 ? row.real(12) : std::max(group.max_ns, row.real(12));
  group.calls += calls;
  group.total_ns += row.real(8);
  const auto n = static_cast<double>(calls);
  group.squares += std * std * (n - 1) + n * mean * mean;
  group.median_ns.add(row.real(10));
  group.work.add(row, 18);
}

Launch launch_in(const Query& row) {
  return {shape_in(row, 1), shape_in(row, 4),   row.integer(14),
          row.integer(15),  row.maybe_real(16), row.maybe_real(17)};
}

std::vector<Group> groups_of(Connection& connection, std::int64_t attempt, const KernelView& view) {
  Query query(connection,
              "SELECT " + key_column(view.by) +
                  ", k.grid_x, k.grid_y, k.grid_z, k.block_x, k.block_y, k.block_z, k.calls, "
                  "k.total_ns, k.mean_ns, k.median_ns, k.min_ns, k.max_ns, k.std_ns, k.registers, "
                  "k.shared_bytes, k.occupancy, k.waves, k.flops, k.bytes, k.arithmetic "
                  "FROM kernel k JOIN name s ON s.id = k.short_name JOIN name r ON r.id = k.range "
                  "JOIN name c ON c.id = k.class JOIN name p ON p.id = k.phase "
                  "WHERE k.attempt = ? AND k.rank = ? AND (? = '' OR p.text = ?3)");
  query.bind_all(attempt, view.rank, view.phase);
  std::map<std::string, Group> groups;
  while (query.next()) {
    const std::string name = query.text(0);
    const Launch launch = launch_in(query);
    const bool apart = view.by == KernelGrouping::kLaunch;
    Group& group = groups[apart ? fmt::format("{}\n{}\n{}\n{}\n{}", name, launch.grid, launch.block,
                                              launch.registers, launch.shared_bytes)
                                : name];
    group.name = name;
    group.launch = launch;
    add_row(query, group);
  }
  std::vector<Group> sorted;
  for (auto& [key, group] : groups) sorted.push_back(std::move(group));
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Group& a, const Group& b) { return a.total_ns > b.total_ns; });
  return sorted;
}

void add_launch(std::vector<Cell>& row, const Launch& launch, bool knows_registers) {
  row.push_back(text(launch.grid));
  row.push_back(text(launch.block));
  if (!knows_registers) return;
  const bool known = launch.registers > 0;
  row.push_back(known ? count(launch.registers) : text("-"));
  row.push_back(known ? number(static_cast<double>(launch.shared_bytes) / 1024, 1) : text("-"));
  row.push_back(launch.occupancy ? number(100 * *launch.occupancy, 1) : text("-"));
  row.push_back(launch.waves ? number(*launch.waves, 2) : text("-"));
}

void add_work(std::vector<Cell>& row, const Group& group, const KernelRoofline& roofline) {
  const KernelWork& work = group.work;
  const auto rate = [&](double amount, double unit, int digits) {
    const bool known = work.known && amount > 0 && group.total_ns > 0;
    return known ? number(amount / group.total_ns * 1e9 / unit, digits) : text("-");
  };
  row.push_back(rate(work.flops, 1e12, 2));
  row.push_back(rate(work.bytes, 1e9, 1));
  const auto reached = roofline.share_of(work, group.total_ns);
  row.push_back(reached ? number(100 * reached->share, 1) : text("-"));
}

Table nsys_table(Connection& connection, std::int64_t attempt, const KernelView& view) {
  auto groups = groups_of(connection, attempt, view);
  const bool launches = view.by == KernelGrouping::kLaunch;
  const bool knows_registers =
      std::ranges::any_of(groups, [](const Group& each) { return each.launch.registers > 0; });
  const bool knows_work =
      launches && std::ranges::any_of(groups, [](const Group& each) { return each.work.known; });
  const KernelRoofline roofline(connection, attempt, view.rank);
  Table table;
  table.title = title_of(connection, attempt, view, "Kernels");
  const auto right = [&](const char* name, const char* unit) {
    table.columns.push_back({name, unit, Align::kRight});
  };
  right("Time", "%"), right("Total", "ms"), right("Instances", "");
  const bool knows_medians = std::ranges::any_of(
      groups, [](const Group& each) { return each.median_ns.value().has_value(); });
  right("Avg", "us");
  if (knows_medians) right("Med", "us");
  for (const char* name : {"Min", "Max", "StdDev"}) right(name, "us");
  if (launches) right("Grid", ""), right("Block", "");
  if (launches && knows_registers) {
    right("Registers", ""), right("Shared", "KiB"), right("Occupancy", "%"), right("Waves", "");
  }
  if (knows_work) right("Computed", "TFLOP/s"), right("Moved", "GB/s"), right("Roofline", "%");
  table.columns.push_back({view.by == KernelGrouping::kRange   ? "Range"
                           : view.by == KernelGrouping::kClass ? "Class"
                                                               : "Name",
                           "", Align::kLeft});
  double whole_ns = 0;
  for (const Group& group : groups) whole_ns += group.total_ns;
  keep_top(groups, table, view.top);
  for (const Group& group : groups) {
    auto& row = table.rows.emplace_back();
    row = {share(group.total_ns, whole_ns), number(group.total_ns / kNsPerMs, 3),
           count(group.calls), number(group.mean_ns() / kNsPerUs, 2)};
    if (knows_medians) {
      const auto median_ns = group.median_ns.value();
      row.push_back(median_ns ? number(*median_ns / kNsPerUs, 2) : text("—"));
    }
    for (const double ns : {group.min_ns, group.max_ns, group.std_ns()}) {
      row.push_back(number(ns / kNsPerUs, 2));
    }
    if (launches) add_launch(row, group.launch, knows_registers);
    if (knows_work) add_work(row, group, roofline);
    row.push_back(text(group.name));
  }
  table.notes.push_back(fmt::format("Kernel time total: {:.3f} ms", whole_ns / kNsPerMs));
  return table;
}

}  // namespace

Table kernel_table(Connection& connection, std::int64_t attempt, const KernelView& view) {
  return view.layout == KernelLayout::kPytorch ? operator_table(connection, attempt, view)
                                               : nsys_table(connection, attempt, view);
}

// The operators of a step as torch.profiler prints them.
namespace {

struct OperatorGroup {
  std::string name;
  std::int64_t calls = 0;
  double self_cpu_ns = 0, total_cpu_ns = 0, self_device_ns = 0, total_device_ns = 0;
};

struct OperatorGroups {
  std::vector<OperatorGroup> rows;
  double cpu_ns = 0;     // of all operators themselves
  double device_ns = 0;  // of all kernels; 0 if no operator launched one
};

OperatorGroups operators_of(Connection& connection, std::int64_t attempt, const KernelView& view) {
  const std::string where = "WHERE x.attempt = ? AND x.rank = ? AND (? = '' OR p.text = ?3) ";
  Query query(connection,
              "SELECT n.text, sum(x.calls), sum(x.self_cpu_ns), sum(x.total_cpu_ns), "
              "sum(x.self_device_ns), sum(x.total_device_ns) FROM operator x "
              "JOIN name n ON n.id = x.operator JOIN name p ON p.id = x.phase " +
                  where + "GROUP BY n.id");
  query.bind_all(attempt, view.rank, view.phase);
  OperatorGroups groups;
  bool launch = false;
  while (query.next()) {
    const OperatorGroup& row =
        groups.rows.emplace_back(OperatorGroup{query.text(0), query.integer(1), query.real(2),
                                               query.real(3), query.real(4), query.real(5)});
    groups.cpu_ns += row.self_cpu_ns;
    launch = launch || row.self_device_ns > 0;
  }
  if (launch) {
    // As in torch.profiler, the kernels are rows too, with no CPU time.
    Query kernels(connection,
                  "SELECT n.text, sum(x.calls), sum(x.total_ns) FROM kernel x "
                  "JOIN name n ON n.id = x.short_name JOIN name p ON p.id = x.phase " +
                      where + "GROUP BY n.id");
    kernels.bind_all(attempt, view.rank, view.phase);
    while (kernels.next()) {
      groups.rows.push_back(
          {kernels.text(0), kernels.integer(1), 0, 0, kernels.real(2), kernels.real(2)});
      groups.device_ns += kernels.real(2);
    }
  }
  std::ranges::stable_sort(groups.rows, [&](const auto& a, const auto& b) {
    return launch ? a.self_device_ns > b.self_device_ns : a.self_cpu_ns > b.self_cpu_ns;
  });
  return groups;
}

}  // namespace

Table operator_table(Connection& connection, std::int64_t attempt, const KernelView& view) {
  auto [groups, cpu_ns, device_ns] = operators_of(connection, attempt, view);
  const bool device = device_ns > 0;
  Table table;
  table.title = title_of(connection, attempt, view, "Operators");
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
