// A sweep while it is being read, with what the checks across sections need in addition.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runner/model/sweep/sweep.h"
#include "runner/sweepfile/yaml/node.h"

namespace sweepd::sweepfile {

// The section that gives a parameter its values. A parameter has at most one.
struct Claim {
  std::string section;  // "params", "matrix", "zip"
  Mark mark;
  bool broken = false;  // some value was refused, so its list is incomplete
};

// Workload by name of a sweep, of all documents of a file.
using SweepsInFile = std::map<std::string, std::string>;

struct ExcludedValue {
  std::size_t param = 0;
  Value value;
  Mark mark;
};

struct TableSource {
  NodePtr node;
  std::vector<std::string> from;  // sweeps or workloads besides the sweep's own, as `from` has them
  bool sound = false;             // no mistake was found while reading it
};

struct Draft {
  Sweep sweep;
  const WorkloadDef* def = nullptr;  // null if the workload is unknown; names are then not checked
  std::vector<ParamDef> declared;    // the parameters that this document declares for its program
  const Catalog* catalog = nullptr;
  SweepsInFile in_file;  // the other documents too
  // What the table being read draws on; empty: the sweep's own workload alone.
  std::vector<const WorkloadDef*> from;
  std::map<std::size_t, Claim> claims;
  std::vector<TableSource> table_sources;  // of each of the sweep's tables
  std::vector<TableSource> plot_sources;   // of each of the sweep's plots
  std::vector<ExcludedValue> excluded;     // checked once all axes are known
  Mark name_mark;                          // of `sweep:`'s value
  Mark size_mark;  // place of what makes the sweep large: matrix, else zip, else name
};

}  // namespace sweepd::sweepfile
