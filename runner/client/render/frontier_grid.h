// A sweep's points as sizes of one parameter for each combination of the others. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "runner/base/result.h"
#include "runner/model/vocabulary/catalog.h"
#include "runner/wire/messages/plan.h"

namespace sweepd {

struct FrontierLine {
  std::vector<std::string> others;  // values of FrontierGrid::others
  std::vector<std::string> sizes;   // of the axis, the one that needs least memory first
  std::size_t start = 0;            // the largest that formulas do not rule out
};

struct FrontierGrid {
  std::string axis;
  std::vector<std::string> others;  // names of the other axes
  std::vector<FrontierLine> lines;  // in the order of the file

  // The --set that reduces the sweep to that point.
  std::vector<std::string> sets(const FrontierLine& line, std::size_t size) const;
};

// The text of a sweep file with another name for its sweep: `NAME-frontier`. A name that would be
// too long is cut, and its hash keeps it apart from others.
std::string with_frontier_name(const std::string& text);

// `plan` has all rows. kInvalidArgument: the axis is not one of the sweep's, has one value, or does
// not grow memory; or a value cannot be given to --set, or has no place among the sizes.
Result<FrontierGrid> frontier_grid(const SweepPlan& plan, const WorkloadDef& def,
                                   const std::string& axis);

}  // namespace sweepd
