#include "runner/report/sort_key.h"

#include <fmt/format.h>

#include "runner/base/text.h"
#include "runner/model/cell_name.h"

namespace sweepd::report {

std::vector<std::string> sort_names(const TableSpec& table) {
  std::vector<std::string> names = table.rows;
  for (const TableSpec::Value& value : table.values) {
    if (!value.name.empty()) names.push_back(value.name);
  }
  for (const CellName& figure : cell_names()) {
    if (figure.kind != NameKind::kWord) names.emplace_back(figure.name);
  }
  return names;
}

std::string unknown_sort_key(const TableSpec& table, std::string_view name) {
  const std::vector<std::string> names = sort_names(table);
  return fmt::format(
      "sort: `{}` is neither one of the table's rows nor a figure; expected one of {}{}", name,
      join(names, ", "), did_you_mean(name, names));
}

}  // namespace sweepd::report
