// Figures that others published. They are in the database beside measured results, and never among
// them: no query reads them unless it asks for a source.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/base/clock.h"

namespace sweepd {

// What measured results have as their `source`.
inline constexpr std::string_view kMeasuredSource = "measured";

// What a figure is of beyond its point: one kernel, one operator, one step. Only a table that names
// such a dimension shows a figure that states it, because several of them are no figure of the
// point.
inline constexpr std::string_view kReferenceDimensions[] = {"kernel", "operator", "class",
                                                            "range",  "step",     "rank"};

struct ReferenceRow {
  std::int64_t line = 0;           // of its file
  std::string source;              // who published it: "003"
  std::string experiment, device;  // as stated there
  std::string workload;            // "": of none that sweepd has, so that no table shows it
  std::string phase = "step";
  std::string metric, unit;  // the unit of `value`: the metric's own once it is stored
  std::string outcome = "done";
  double value = 0, std = 0;  // NaN: not stated
  std::int64_t n = 1;         // steps that the value is the mean of
  // Those that are stated, canonical; and what the figure is of: kReferenceDimensions.
  std::vector<std::pair<std::string, std::string>> params;
  std::vector<std::string> doubts;   // what is known to be wrong with it
  std::vector<std::string> remarks;  // what a reader should know and is not wrong
  bool invalid = false;              // it cannot be true, so nothing is computed with it
};

struct PublishedFigures {
  std::string name, description;
  std::vector<ReferenceRow> rows;
};

// A stored one, for lists.
struct ReferenceSummary {
  std::string name, description;
  WallTime added;
  std::int64_t rows = 0, shown = 0, doubted = 0;  // shown: with a workload
  std::vector<std::string> sources;
};

}  // namespace sweepd
