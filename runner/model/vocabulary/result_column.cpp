#include "runner/model/vocabulary/result_column.h"

namespace sweepd {

const std::vector<std::string>& result_column_names() {
  static const std::vector<std::string> names{
      "phase",   "pass",  "metric",      "step",   "repeat",  "rank",  "outcome",
      "verdict", "host",  "device_name", "code",   "machine", "build", "torch",
      "driver",  "sweep", "fact",        "figure", "kernel",  "class", "range",
      "grid",    "block", "allocation",  "origin", "operator"};
  return names;
}

std::string_view name_of(ResultColumn column) {
  return result_column_names()[static_cast<std::size_t>(column)];
}

bool is_integer(ResultColumn column) {
  return column == ResultColumn::kStep || column == ResultColumn::kRepeat ||
         column == ResultColumn::kRank || column == ResultColumn::kAllocation;
}

}  // namespace sweepd
