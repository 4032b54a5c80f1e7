// A parameter that the command line sets.
#pragma once

#include <string>

namespace sweepd {

// `--set name=v1,v2` replaces the parameter wherever the file sets it. The file must be valid
// without it. schemas/sweep.md gives the reasons; in short:
//   one value   fixes the parameter: it leaves the matrix, or its zip group, and replaces the value
//               in params and in every include point
//   several     become an axis in place of the old axis, else the last matrix axis. A zip group
//               needs as many values as its lists have. Include points that name the parameter stay
//               if their value is among them; the others are repeated for each value
// Exclude rules keep their values; those that no longer occur match nothing. A parameter that only
// some documents' workloads have changes only those documents.
struct Override {
  std::string name;
  std::string values;  // comma-separated
  // For several files: if no document of this one has the parameter, it is reported but is not a
  // mistake.
  bool where_it_fits = false;
};

}  // namespace sweepd
