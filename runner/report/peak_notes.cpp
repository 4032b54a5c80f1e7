#include "runner/report/peak_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runner/base/text.h"
#include "runner/model/cell_name.h"
#include "runner/report/footnotes.h"

namespace sweepd::report {
namespace {

struct Missing {
  std::string why;
  std::vector<std::string> figures;  // labels, in the order of the columns
  std::size_t cells = 0;
};

}  // namespace

std::vector<std::string> peak_notes(const std::vector<TableValue>& table_values,
                                    const std::vector<Key>& rows) {
  constexpr std::string_view kOfPeaks[] = {"mfu", "hfu", "bandwidth_share", "floor", "reached"};
  std::vector<Missing> all;
  for (const TableValue& table_value : table_values) {
    for (const std::string_view name : kOfPeaks) {
      if (!shows(table_value.style().cell, name)) continue;
      for (const Key& row : rows) {
        const auto line = table_value.lines().find(row);
        if (line == table_value.lines().end()) continue;
        for (const auto& [column, group] : line->second) {
          const auto figure = table_value.figure(row, column, name);
          const bool known = !figure || figure->has_value();
          if (known || group.pooled.stats.n == 0 || group.rows.front()->no_peak.empty()) continue;
          const std::string& why = group.rows.front()->no_peak;
          auto same = std::ranges::find(all, why, &Missing::why);
          if (same == all.end()) same = all.insert(same, {why, {}, 0});
          const std::string label(find_cell_name(name)->label);
          if (std::ranges::find(same->figures, label) == same->figures.end()) {
            same->figures.push_back(label);
          }
          ++same->cells;
        }
      }
    }
  }
  std::vector<std::string> lines;
  for (const Missing& each : all) {
    lines.push_back(fmt::format("no {} in {}: {}", join(each.figures, ", "),
                                counted(each.cells, "cell"), each.why));
  }
  return lines;
}

}  // namespace sweepd::report
