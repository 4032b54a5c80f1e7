// A sweep file's text -> validated sweeps -> trials. The only user of yaml-cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/base/result.h"
#include "runner/model/sweep.h"

namespace sweepd {

// One mistake, as a compiler reports it.
struct Diagnostic {
  std::string file;
  int line = 0;         // from 1; 0 when the mistake has no place (a --set override)
  int column = 0;       // from 1, in bytes
  int length = 1;       // of the offending text, for the underline
  std::string message;  // what is wrong, with the value and what was expected
  std::string help;     // the nearest name, or how to mend it; may be empty
  std::string source;   // the line itself
};

// "file:3:9: error: ...\n  3 | matrx:\n    | ^~~~~\n    = help: did you mean `matrix`?\n"
std::string render(const Diagnostic& diagnostic);

// `--set name=v1,v2`: replaces the parameter wherever the file sets it. One value makes it a fixed
// parameter, several make it an axis (in the place of the old axis, else last).
struct Override {
  std::string name;
  std::string values;  // comma-separated
};

struct Parsed {
  std::vector<Sweep> sweeps;       // one a document; empty when there are errors
  std::vector<Diagnostic> errors;  // all of them, in file order
};

// Limits: 1 MiB, depth 16, 10,000 nodes after alias expansion, one million trials a sweep.
Parsed parse_sweeps(std::string_view text, std::string_view file, const Catalog& catalog,
                    const std::vector<Override>& overrides);

struct ExpandedTrial {
  Trial trial;
  TrialKey key;
};

struct Expansion {
  std::vector<ExpandedTrial> trials;  // in sweep order, each key once (schedulings merged: largest)
  std::vector<std::int64_t> excluded;  // by rule: how many points each of Sweep::exclude removed
  std::int64_t duplicates = 0;         // points that were another point's trial
};

// How many points before exclusion, without expanding.
std::int64_t count_points(const Sweep& sweep);
Expansion expand(const Sweep& sweep, const WorkloadDef& def);

}  // namespace sweepd
