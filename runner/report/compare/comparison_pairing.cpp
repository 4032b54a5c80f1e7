#include "runner/report/compare/comparison_pairing.h"

#include <fmt/format.h>

#include <algorithm>

#include "runner/base/text.h"

namespace sweepd::report {
namespace {

constexpr std::string_view kHostName = "host", kCodeName = "code";

// The values of a dimension on one side.
std::set<std::string> values_on_side(const ResultSet& results, std::size_t dimension) {
  std::set<std::string> values;
  for (const ResultRow& row : results.rows) {
    const std::uint32_t code = row.at[dimension];
    if (code != kEveryValue) values.insert(results.dimensions[dimension].values[code]);
  }
  return values;
}

bool have_one_in_common(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::any_of(a.begin(), a.end(), [&](const auto& value) { return b.contains(value); });
}

std::string listed(const std::set<std::string>& values) {
  return join(std::vector<std::string>(values.begin(), values.end()), " and ");
}

}  // namespace

ComparisonPairing::ComparisonPairing(const ResultSet& a, const ResultSet& b) : a_(a), b_(b) {
  std::vector<std::size_t> codes;
  for (std::size_t d = 0; d < a.dimensions.size(); ++d) {
    const std::string& name = a.dimensions[d].name;
    const auto of_a = values_on_side(a, d), of_b = values_on_side(b, d);
    if (name == kCodeName) {
      codes.push_back(d);
    } else if ((of_a.size() > 1 || of_b.size() > 1) &&
               (name != kHostName || have_one_in_common(of_a, of_b))) {
      add_axis(d);
    } else if (of_a != of_b && !of_a.empty() && !of_b.empty()) {
      differ_.emplace_back(name, listed(of_a) + " against " + listed(of_b));
    }
  }
  for (const std::size_t d : codes) {
    if (!has_one_a_point(a, d) || !has_one_a_point(b, d)) add_axis(d);
  }
}

void ComparisonPairing::add_axis(std::size_t dimension) {
  std::vector<std::string> values = a_.dimensions[dimension].values;
  for (const std::string& value : b_.dimensions[dimension].values) {
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  axes_.push_back({dimension, std::move(values)});
}

bool ComparisonPairing::has_one_a_point(const ResultSet& results, std::size_t dimension) const {
  std::map<PointPlace, std::uint32_t> seen;
  return std::all_of(results.rows.begin(), results.rows.end(), [&](const ResultRow& row) {
    const auto code = row.at[dimension];
    return seen.try_emplace(place_of(results, row), code).first->second == code;
  });
}

std::vector<Dimension> ComparisonPairing::axes() const {
  std::vector<Dimension> axes;
  for (const Axis& axis : axes_) {
    const Dimension& dimension = a_.dimensions[axis.dimension];
    axes.push_back({dimension.name, dimension.numeric, {}});
  }
  return axes;
}

PointPlace ComparisonPairing::place_of(const ResultSet& results, const ResultRow& row) const {
  PointPlace place;
  for (const auto& [dimension, values] : axes_) {
    const std::uint32_t code = row.at[dimension];
    const auto found = code == kEveryValue ? values.end()
                                           : std::find(values.begin(), values.end(),
                                                       results.dimensions[dimension].values[code]);
    place.push_back(static_cast<std::size_t>(found - values.begin()));
  }
  return place;
}

std::vector<std::string> ComparisonPairing::texts_of(const PointPlace& place) const {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const auto& values = axes_[i].values;
    texts.push_back(place[i] < values.size() ? values[place[i]] : "");
  }
  return texts;
}

void add_what_ran(const ResultSet& results, const ResultRow& row,
                  const std::map<AttemptId, WhatRan>& ran, RanAtPoint& point) {
  if (const auto found = ran.find(row.attempt); found != ran.end()) {
    for (std::size_t i = 0; i < point.size(); ++i) {
      if (!found->second[i].empty()) point[i].insert(found->second[i]);
    }
  }
  for (std::size_t d = 0; d < results.dimensions.size(); ++d) {
    const Dimension& dimension = results.dimensions[d];
    if (dimension.name != kCodeName || row.at[d] == kEveryValue) continue;
    const std::string& code = dimension.values[row.at[d]];
    if (!code.empty()) point[index_in_what_ran(kCodeName)].insert(code);
  }
}

void SideDifferences::add(const RanAtPoint& a, const RanAtPoint& b) {
  ++points_;
  for (std::size_t i = 0; i < found_.size(); ++i) {
    if (a[i] == b[i] || a[i].empty() || b[i].empty()) continue;
    ++found_[i].points;
    found_[i].a.insert(a[i].begin(), a[i].end());
    found_[i].b.insert(b[i].begin(), b[i].end());
  }
}

std::vector<std::pair<std::string, std::string>> SideDifferences::texts() const {
  std::vector<std::pair<std::string, std::string>> texts;
  for (std::size_t i = 0; i < found_.size(); ++i) {
    const Found& found = found_[i];
    if (found.points == 0) continue;
    const bool one_each = found.a.size() == 1 && found.b.size() == 1;
    std::string text = one_each ? *found.a.begin() + " against " + *found.b.begin() : "";
    if (!one_each || found.points < points_) {
      text += fmt::format("{}at {} of {} points", one_each ? " " : "", found.points, points_);
    }
    texts.emplace_back(kWhatRan[i], std::move(text));
  }
  return texts;
}

}  // namespace sweepd::report
