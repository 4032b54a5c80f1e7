// A sweep while it is read: what the checks across sections need beyond the Sweep itself.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runner/model/sweep.h"
#include "runner/spec/node.h"

namespace sweepd::spec {

// Who gives a parameter its values. Each parameter has one such place.
struct Claim {
  std::string section;  // "params", "matrix", "zip"
  Mark mark;
  bool broken = false;  // some value was refused, so its list is not complete
};

struct ExcludedValue {
  std::size_t param = 0;
  Value value;
  Mark mark;
};

struct TableSource {
  NodePtr node;
  bool sound = false;  // no mistake was found while it was read
};

struct Draft {
  Sweep sweep;
  const WorkloadDef* def = nullptr;  // null when the workload is unknown: names go unchecked
  std::map<std::size_t, Claim> claims;
  std::vector<TableSource> table_sources;  // of each of the sweep's tables
  std::vector<ExcludedValue> excluded;     // checked when all axes are known
  Mark name_mark;                          // of `sweep:`'s value
  Mark size_mark;  // of what makes the sweep as large as it is: matrix, else zip, else the name
};

}  // namespace sweepd::spec
