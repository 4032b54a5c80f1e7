// Published figures of other sources. The database stores them apart from measured results: a query
// reads them only if it names a source.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/base/clock.h"

namespace sweepd {

// The `source` of measured results.
inline constexpr std::string_view kMeasuredSource = "measured";

// Dimensions of a figure beyond its point: one kernel, one operator, one step. Only a table that
// names such a dimension shows its figures, because they are parts of the point's figure.
inline constexpr std::string_view kReferenceDimensions[] = {"kernel", "operator", "class",
                                                            "range",  "step",     "rank"};

struct ReferenceRow {
  std::int64_t line = 0;           // of its file
  std::string source;              // who published it: "003"
  std::string experiment, device;  // as stated there
  std::string workload;            // "": of no workload of sweepd, so no table shows it
  std::string phase = "step";      // "" of a point without a figure: it has none in any phase
  std::string metric, unit;        // the unit of `value`: the metric's own once it is stored
  std::string outcome = "done";
  double value = 0, std = 0;  // NaN: not stated
  std::int64_t n = 1;         // steps that the value is the mean of
  // Those that are stated, canonical; and the dimensions of kReferenceDimensions.
  std::vector<std::pair<std::string, std::string>> params;
  std::vector<std::string> doubts;   // its known errors
  std::vector<std::string> remarks;  // remarks that are no errors
  bool invalid = false;              // it cannot be true, so nothing is computed with it
};

struct PublishedFigures {
  std::string name, description;
  std::vector<ReferenceRow> rows;
};

// A stored one, for lists.
struct ReferenceSummary {
  static constexpr std::string_view kTitle = "a reference";
  std::string name, description;
  WallTime added;
  std::int64_t rows = 0, shown = 0, doubted = 0;
  std::vector<std::string> sources;
  static void visit(auto& self, auto&& field) {
    field("name", self.name, "");
    field("description", self.description, "");
    field("added_ns", self.added, "since 1970");
    field("rows", self.rows, "figures");
    field("shown", self.shown, "of these, those of a workload, which tables can show");
    field("doubted", self.doubted, "those with something known to be wrong");
    field("sources", self.sources, "the value of `source` in tables");
  }
};

}  // namespace sweepd
