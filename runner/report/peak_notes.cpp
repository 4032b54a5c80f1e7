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

std::vector<std::string> peak_notes(const std::vector<ValueColumn>& value_columns,
                                    const std::vector<Key>& rows) {
  constexpr std::string_view kOfPeaks[] = {"mfu", "hfu", "bandwidth_share", "floor", "reached"};
  std::vector<Missing> all;
  for (const ValueColumn& value_column : value_columns) {
    for (const std::string_view name : kOfPeaks) {
      if (!shows(value_column.style().cell, name)) continue;
      for (const Key& row : rows) {
        const auto line = value_column.lines().find(row);
        if (line == value_column.lines().end()) continue;
        for (const auto& [column, group] : line->second) {
          const auto figure = value_column.figure(row, column, name);
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
