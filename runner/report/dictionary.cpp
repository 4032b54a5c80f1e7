#include "runner/report/dictionary.h"

#include <algorithm>

namespace sweepd::report {
namespace {

using Values = std::vector<std::string>;

Dimension* find(ResultSet& set, const std::string& name) {
  for (Dimension& dimension : set.dimensions) {
    if (dimension.name == name) return &dimension;
  }
  return nullptr;
}

// Inserts each value that `merged` lacks after the preceding value of `values`.
void merge(Values& merged, const Values& values) {
  auto behind = merged.begin();
  for (const std::string& value : values) {
    auto at = std::find(merged.begin(), merged.end(), value);
    if (at == merged.end()) at = merged.insert(behind, value);
    behind = at + 1;
  }
}

void renumber(ResultSet& set, Dimension& dimension, const Values& merged) {
  const auto d = static_cast<std::size_t>(&dimension - set.dimensions.data());
  std::vector<std::uint32_t> new_code;
  new_code.reserve(dimension.values.size());
  for (const std::string& value : dimension.values) {
    const auto at = std::find(merged.begin(), merged.end(), value);
    new_code.push_back(static_cast<std::uint32_t>(at - merged.begin()));
  }
  for (ResultRow& row : set.rows) {
    if (row.at[d] != kEveryValue) row.at[d] = new_code[row.at[d]];
  }
  dimension.values = merged;
}

}  // namespace

void share_dictionaries(std::vector<ResultSet>& sets, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    Values merged;
    for (ResultSet& set : sets) {
      const Dimension* dimension = find(set, name);
      if (dimension != nullptr) merge(merged, dimension->values);
    }
    // Also renumbers the sets before the one that added a value. A table asks the first set about
    // its rows and columns, and that set may have no values at all.
    for (ResultSet& set : sets) {
      Dimension* dimension = find(set, name);
      if (dimension != nullptr && dimension->values != merged) renumber(set, *dimension, merged);
    }
  }
}

}  // namespace sweepd::report
