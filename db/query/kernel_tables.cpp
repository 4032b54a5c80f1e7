#include "db/query/kernel_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "db/query/kernel_cells.h"
#include "db/query/weighted_median.h"

namespace sweepd {
namespace {

struct Shape {
  std::int64_t x = 0, y = 0, z = 0;
};
std::string text_of(const Shape& shape) {
  return shape.x == 0 ? "-" : fmt::format("{} {} {}", shape.x, shape.y, shape.z);
}

// The rows of one group combined. Mean, extremes and deviation are exact. The median of several
// rows cannot be computed from their medians, so it is the median of those, each counted once per
// call.
struct Group {
  std::string name, launch_grid, launch_block;
  std::int64_t calls = 0;
  double total_ns = 0, min_ns = 0, max_ns = 0;
  double squares = 0;  // sum of squares of the single calls, to merge deviations
  WeightedMedian median_ns;

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
  group.median_ns.add(row.real(10), calls);
}

std::vector<Group> groups_of(Connection& connection, std::int64_t attempt, const KernelView& view) {
  Query query(connection,
              "SELECT " + key_column(view.by) +
                  ", k.grid_x, k.grid_y, k.grid_z, k.block_x, k.block_y, k.block_z, k.calls, "
                  "k.total_ns, k.mean_ns, k.median_ns, k.min_ns, k.max_ns, k.std_ns "
                  "FROM kernel k JOIN name s ON s.id = k.short_name JOIN name r ON r.id = k.range "
                  "JOIN name c ON c.id = k.class JOIN name p ON p.id = k.phase "
                  "WHERE k.attempt = ? AND k.rank = ? AND (? = '' OR p.text = ?3)");
  query.bind_all(attempt, view.rank, view.phase);
  std::map<std::string, Group> groups;
  while (query.next()) {
    const std::string name = query.text(0);
    const std::string grid = text_of({query.integer(1), query.integer(2), query.integer(3)});
    const std::string block = text_of({query.integer(4), query.integer(5), query.integer(6)});
    const bool apart = view.by == KernelGrouping::kLaunch;
    Group& group = groups[apart ? fmt::format("{}\n{}\n{}", name, grid, block) : name];
    group.name = name;
    group.launch_grid = grid;
    group.launch_block = block;
    add_row(query, group);
  }
  std::vector<Group> sorted;
  for (auto& [key, group] : groups) sorted.push_back(std::move(group));
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Group& a, const Group& b) { return a.total_ns > b.total_ns; });
  return sorted;
}

Table nsys_table(Connection& connection, std::int64_t attempt, const KernelView& view) {
  const bool launches = view.by == KernelGrouping::kLaunch;
  Table table;
  table.title = title_of(view, "Kernels");
  const auto right = [&](const char* name, const char* unit) {
    table.columns.push_back({name, unit, Align::kRight});
  };
  right("Time", "%");
  right("Total", "ms");
  right("Instances", "");
  for (const char* name : {"Avg", "Med", "Min", "Max", "StdDev"}) right(name, "us");
  if (launches) right("Grid", "");
  if (launches) right("Block", "");
  table.columns.push_back({view.by == KernelGrouping::kRange   ? "Range"
                           : view.by == KernelGrouping::kClass ? "Class"
                                                               : "Name",
                           "", Align::kLeft});
  auto groups = groups_of(connection, attempt, view);
  double whole_ns = 0;
  for (const Group& group : groups) whole_ns += group.total_ns;
  keep_top(groups, table, view.top);
  for (const Group& group : groups) {
    auto& row = table.rows.emplace_back();
    row = {share(group.total_ns, whole_ns),
           number(group.total_ns / kNsPerMs, 3),
           count(group.calls),
           number(group.mean_ns() / kNsPerUs, 2),
           number(group.median_ns.value() / kNsPerUs, 2),
           number(group.min_ns / kNsPerUs, 2),
           number(group.max_ns / kNsPerUs, 2),
           number(group.std_ns() / kNsPerUs, 2)};
    if (launches) row.push_back(text(group.launch_grid));
    if (launches) row.push_back(text(group.launch_block));
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

}  // namespace sweepd
