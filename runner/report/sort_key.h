// The sort keys of a table: its rows, its values by name, and the figures of a cell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner/model/sweep.h"

namespace sweepd::report {

std::vector<std::string> sort_names(const TableSpec& table);
// "sort: `medain` is neither ...; expected one of ..., did you mean ..."
std::string unknown_sort_key(const TableSpec& table, std::string_view name);

}  // namespace sweepd::report
