// Separates the dimensions that distinguish points from those that distinguish the sides of a
// comparison.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runner/model/attempt/result_set.h"
#include "runner/model/attempt/what_ran.h"

namespace sweepd::report {

// The axes' values by their position among those of both sides, so that points sort as tables do.
using PointPlace = std::vector<std::size_t>;

// A dimension distinguishes points if a side has several values of it. These do not:
// - the host, if the sides have none in common: then it distinguishes the sides;
// - a program's code, if each side has a single one at every point: points pair by the request,
//   and code that differs at one is a difference between the sides (SideDifferences).
class ComparisonPairing {
 public:
  // The dimensions of both are the same; every row counts. Both must outlive this.
  ComparisonPairing(const ResultSet& a, const ResultSet& b);

  std::vector<Dimension> axes() const;  // without values
  // Dimensions that distinguish the sides, with both values: host, "alpha against beta".
  const std::vector<std::pair<std::string, std::string>>& differ() const { return differ_; }

  PointPlace place_of(const ResultSet& results, const ResultRow& row) const;
  std::vector<std::string> texts_of(const PointPlace& place) const;  // as they are shown

 private:
  struct Axis {
    std::size_t dimension;
    std::vector<std::string> values;
  };
  void add_axis(std::size_t dimension);
  bool has_one_a_point(const ResultSet& results, std::size_t dimension) const;

  const ResultSet& a_;
  const ResultSet& b_;
  std::vector<Axis> axes_;
  std::vector<std::pair<std::string, std::string>> differ_;
};

// The known code and machine (kWhatRan) of one side of one point.
using RanAtPoint = std::array<std::set<std::string>, kWhatRan.size()>;

// Adds the code and machine of `row`'s attempt. A program's code is a parameter, and so a
// dimension.
void add_what_ran(const ResultSet& results, const ResultRow& row,
                  const std::map<AttemptId, WhatRan>& ran, RanAtPoint& point);

// Collects the points at which the sides' code or machine differ.
class SideDifferences {
 public:
  void add(const RanAtPoint& a, const RanAtPoint& b);  // of a point that both sides have

  // By name: "5d8c4d against f4f037", or "at 3 of 5 points" where a side has several.
  std::vector<std::pair<std::string, std::string>> texts() const;

 private:
  struct Found {
    std::size_t points = 0;
    std::set<std::string> a, b;
  };
  std::size_t points_ = 0;
  std::array<Found, kWhatRan.size()> found_;
};

}  // namespace sweepd::report
