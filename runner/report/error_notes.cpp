#include "runner/report/error_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace sweepd::report {

std::vector<std::string> error_notes(const std::vector<TableValue>& table_values,
                                     const std::vector<Key>& rows) {
  bool sem = false, ci95 = false;
  std::size_t fewest = 0, most = 0;
  std::set<std::vector<const ResultRow*>> single,
      mixed;  // values side by side may show the same cell
  for (const TableValue& table_value : table_values) {
    if (!shows(table_value.style().cell, "sem") && !shows(table_value.style().cell, "ci95"))
      continue;
    sem |= shows(table_value.style().cell, "sem");
    ci95 |= shows(table_value.style().cell, "ci95");
    for (const Key& row : rows) {
      const auto line = table_value.lines().find(row);
      if (line == table_value.lines().end()) continue;
      for (const auto& [column, group] : line->second) {
        const MeanError& error = group.pooled.error;
        if (group.pooled.stats.n == 0) continue;
        if (error.processes == 1) {
          single.insert(group.rows);
        } else if (!error.one_trial) {
          mixed.insert(group.rows);
        } else {
          fewest = fewest == 0 ? error.processes : std::min(fewest, error.processes);
          most = std::max(most, error.processes);
        }
      }
    }
  }
  std::vector<std::string> lines;
  const std::string count =
      fewest == most ? fmt::format("{}", most) : fmt::format("{} to {}", fewest, most);
  const std::string over = fmt::format("the mean over {} processes", count);
  if (ci95 && most > 0) {
    lines.push_back("ci95: half of the 95 % confidence interval of " + over);
  }
  if (sem && most > 0) lines.push_back("sem: the standard error of " + over);
  const std::string name = !ci95 ? "sem" : sem ? "sem, ci95" : "ci95";
  const auto without = [&](std::size_t n, std::string_view why) {
    if (n > 0) lines.push_back(fmt::format("no {} in {}: {}", name, counted(n, "cell"), why));
  };
  without(single.size(),
          "one process says nothing about others, and its steps are not independent; `repeats: 5` "
          "measures five");
  without(mixed.size(), "the attempts are of different trials, so they are no repeats");
  return lines;
}

}  // namespace sweepd::report
