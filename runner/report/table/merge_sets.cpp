#include "runner/report/table/merge_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "runner/base/units.h"

namespace sweepd {
namespace report {
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

}  // namespace report

namespace {

const Dimension* dimension_of(const ResultSet& set, const std::string& name) {
  for (const Dimension& dimension : set.dimensions) {
    if (dimension.name == name) return &dimension;
  }
  return nullptr;
}

double number_of(const std::string& text) {
  const auto number = parse_real(text);
  return number ? *number : 0;
}

bool is_smaller(const std::string& a, const std::string& b) {
  return number_of(a) < number_of(b);
}

// The values of a dimension in all sets: numbers by their size, unless one set has them in another
// order, and texts as the sets list them, one after the other.
std::vector<std::string> values_in_order(const std::vector<ResultSet>& sets,
                                         const std::string& name, bool numeric) {
  std::vector<std::string> values;
  for (const ResultSet& set : sets) {
    const Dimension* dimension = dimension_of(set, name);
    if (dimension == nullptr) continue;
    numeric &= std::is_sorted(dimension->values.begin(), dimension->values.end(), is_smaller);
    for (const std::string& value : dimension->values) {
      if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
    }
  }
  if (numeric) std::stable_sort(values.begin(), values.end(), is_smaller);
  return values;
}

// Dimensions of any of the sets, those of `names` first. Numeric if it is so in all that have a
// value of it.
std::vector<Dimension> all_dimensions(const std::vector<ResultSet>& sets,
                                      const std::vector<std::string>& names) {
  std::vector<Dimension> all;
  for (const std::string& name : names) all.push_back({name, true, {}});
  for (const ResultSet& set : sets) {
    for (const Dimension& dimension : set.dimensions) {
      auto known = std::find_if(all.begin(), all.end(),
                                [&](const Dimension& each) { return each.name == dimension.name; });
      if (known == all.end()) known = all.insert(all.end(), {dimension.name, true, {}});
      const bool says = std::any_of(dimension.values.begin(), dimension.values.end(),
                                    [](const std::string& value) { return !value.empty(); });
      if (says) known->numeric &= dimension.numeric;
    }
  }
  return all;
}

// Gives the set all dimensions, in that order.
void arrange(ResultSet& set, const std::vector<Dimension>& all) {
  std::vector<std::size_t> from;
  for (const Dimension& dimension : all) {
    const Dimension* own = dimension_of(set, dimension.name);
    from.push_back(own == nullptr ? set.dimensions.size()
                                  : static_cast<std::size_t>(own - set.dimensions.data()));
  }
  for (ResultRow& row : set.rows) {
    std::vector<std::uint32_t> at;
    for (const std::size_t i : from) at.push_back(i < row.at.size() ? row.at[i] : kEveryValue);
    row.at = std::move(at);
  }
  std::vector<Dimension> dimensions = all;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (from[i] < set.dimensions.size()) dimensions[i].values = set.dimensions[from[i]].values;
  }
  set.dimensions = std::move(dimensions);
}

// Returns the names that every source lacks.
std::vector<std::string> unknown_to_all(const std::vector<ResultSet>& sets) {
  std::vector<std::string> unknown = sets.front().unknown;
  std::erase_if(unknown, [&](const std::string& name) {
    return std::any_of(sets.begin(), sets.end(), [&](const ResultSet& set) {
      return std::find(set.unknown.begin(), set.unknown.end(), name) == set.unknown.end();
    });
  });
  return unknown;
}

}  // namespace

void add_dimension(ResultSet& set, const std::string& name, const std::string& value) {
  if (dimension_of(set, name) != nullptr) return;
  set.dimensions.push_back({name, false, {value}});
  for (ResultRow& row : set.rows) row.at.push_back(0);
}

Result<ResultSet> merge_sets(std::vector<ResultSet> sets, const std::vector<std::string>& names) {
  if (sets.size() == 1) return std::move(sets.front());
  const std::vector<Dimension> all = all_dimensions(sets, names);
  std::vector<std::string> shared;
  // A set without rows that only gives the order.
  ResultSet order;
  for (const Dimension& dimension : all) {
    shared.push_back(dimension.name);
    order.dimensions.push_back(dimension);
    order.dimensions.back().values = values_in_order(sets, dimension.name, dimension.numeric);
  }
  ResultSet merged;
  merged.unknown = unknown_to_all(sets);
  for (const ResultSet& set : sets) {
    merged.remarks.insert(merged.remarks.end(), set.remarks.begin(), set.remarks.end());
  }
  sets.insert(sets.begin(), std::move(order));
  for (ResultSet& set : sets) arrange(set, all);
  report::share_dictionaries(sets, shared);
  merged.dimensions = sets.front().dimensions;
  // Figures of one attempt in one set are different figures; in an earlier set they are the same.
  using Place = std::pair<AttemptId, std::vector<std::uint32_t>>;
  std::set<Place> seen;
  for (ResultSet& set : sets) {
    if (merged.metric.empty()) merged.metric = set.metric;
    if (merged.unit.empty()) merged.unit = set.unit;
    if (!set.unit.empty() && set.unit != merged.unit) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("{} is in {} in one of the table's sources and in {} in another",
                               set.metric, merged.unit, set.unit)};
    }
    std::set<Place> own;
    for (ResultRow& row : set.rows) {
      const auto named = row.at.begin() + static_cast<std::ptrdiff_t>(names.size());
      Place place{row.attempt, {row.at.begin(), named}};
      if (!row.attempt.empty() && seen.contains(place)) continue;
      own.insert(std::move(place));
      merged.rows.push_back(std::move(row));
    }
    seen.merge(own);
  }
  return merged;
}

}  // namespace sweepd
