#include "runner/trace/tables.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace sweepd::trace {
namespace {

struct WorkGroup {
  WorkRow row;
  std::set<std::pair<std::int32_t, std::int64_t>> streams;  // of a device

  void add(const DeviceWork& work) {
    const auto duration = static_cast<double>(work.end_ns - work.begin_ns);
    const bool is_first = row.calls++ == 0;
    if (!is_first && row.launch_shape != work.launch_shape) row.launch_shape = -1;
    row.total_ns += duration;
    row.min_ns = is_first ? duration : std::min(row.min_ns, duration);
    row.max_ns = std::max(row.max_ns, duration);
    row.total_bytes += static_cast<double>(work.bytes);
    row.graph_calls += work.graph != 0 ? 1 : 0;
    streams.emplace(work.device, work.stream);
  }
};

template <class Row>
void sort_rows(std::vector<Row>& rows, double Row::*time, const Names& names) {
  std::ranges::sort(rows, [&](const Row& a, const Row& b) {
    if (a.*time != b.*time) return a.*time > b.*time;
    return names[a.name] < names[b.name];
  });
}

template <class Include>
std::vector<WorkRow> work_table(const Timeline& timeline, const Window& window, GroupBy group,
                                Include include) {
  std::map<std::pair<NameId, std::int32_t>, WorkGroup> groups;
  for (const DeviceWork& work : timeline.work) {
    if (!include(work.kind) || !window.contains(work.begin_ns)) continue;
    const std::int32_t shape = group == GroupBy::kName ? -1 : work.launch_shape;
    const auto [found, added] = groups.try_emplace({work.name, shape});
    if (added) {
      found->second.row.name = work.name;
      found->second.row.launch_shape = work.launch_shape;
    }
    found->second.add(work);
  }
  std::vector<WorkRow> rows;
  for (auto& [key, each] : groups) {
    each.row.mean_ns = each.row.total_ns / static_cast<double>(each.row.calls);
    each.row.streams = std::ssize(each.streams);
    rows.push_back(each.row);
  }
  sort_rows(rows, &WorkRow::total_ns, timeline.names);
  return rows;
}

}  // namespace

std::vector<WorkRow> kernel_table(const Timeline& timeline, const Window& window, GroupBy group) {
  return work_table(timeline, window, group,
                    [](WorkKind kind) { return kind == WorkKind::kKernel; });
}

std::vector<WorkRow> copy_table(const Timeline& timeline, const Window& window) {
  return work_table(timeline, window, GroupBy::kName,
                    [](WorkKind kind) { return kind != WorkKind::kKernel; });
}

std::vector<OperatorRow> operator_table(const Timeline& timeline, const Window& window) {
  std::map<NameId, OperatorRow> rows;
  std::unordered_map<std::int64_t, std::vector<const HostSpan*>> running;  // by thread
  for (const HostSpan& span : timeline.operators) {
    auto& callers = running[span.thread];
    while (!callers.empty() && callers.back()->end_ns <= span.begin_ns) callers.pop_back();
    const auto duration = static_cast<double>(span.end_ns - span.begin_ns);
    if (!callers.empty() && window.contains(callers.back()->begin_ns)) {
      rows[callers.back()->name].self_ns -= duration;
    }
    callers.push_back(&span);
    if (!window.contains(span.begin_ns)) continue;
    OperatorRow& row = rows[span.name];
    row.name = span.name;
    ++row.calls;
    row.total_ns += duration;
    row.self_ns += duration;
  }
  std::vector<OperatorRow> table;
  for (const auto& [name, row] : rows) table.push_back(row);
  sort_rows(table, &OperatorRow::self_ns, timeline.names);
  return table;
}

}  // namespace sweepd::trace
