// A sweep file's text -> validated sweeps -> trials. The only user of yaml-cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/base/result.h"
#include "runner/model/sweep.h"
#include "runner/model/table_mistake.h"

namespace sweepd {

// One mistake, as a compiler reports it.
struct Diagnostic {
  std::string file;
  int line = 0;           // from 1; 0 when the mistake has no place (a --set override)
  int column = 0;         // from 1, in bytes
  int length = 1;         // of the offending text, for the underline
  std::string message;    // what is wrong, with the value and what was expected
  std::string help;       // the nearest name, or how to mend it; may be empty
  std::string source;     // the line itself; of a long line the part around the mistake
  int source_column = 1;  // where `source` begins in that line; above 1 when its front was cut
};

// "file:3:9: error: ...\n  3 | matrx:\n    | ^~~~~\n    = help: did you mean `matrix`?\n"
// Control characters of the source are shown as `?`, so that a file cannot drive the terminal.
std::string render(const Diagnostic& diagnostic);
std::string render(const std::vector<Diagnostic>& diagnostics);  // with an empty line between

// `--set name=v1,v2`: replaces the parameter wherever the file sets it. The file must be valid by
// itself first. schemas/sweep.md has the reasons; in short:
//   one value   fixes the parameter: it leaves the matrix, or its zip group, and replaces the value
//               in params and in every include point
//   several     an axis in the place of the old axis, else the last matrix axis. In a zip group as
//               many as the group's lists have. Include points that name the parameter stay when
//               their value is among them; the others are repeated for each value
// Exclude rules keep their values; those that no longer occur match nothing. A parameter that only
// some documents' workloads have changes those documents.
struct Override {
  std::string name;
  std::string values;  // comma-separated
  // Of several files: that no document of this one has the parameter is no mistake, but told.
  bool where_it_fits = false;
};

// What is known elsewhere about the tables of a sweep: figures, units, sort keys, who measures a
// metric. Asked about each table that has no mistake of spelling; what it finds is reported at that
// key's place.
using TableCheck =
    std::function<std::vector<TableMistake>(const TableSpec&, const Sweep&, const WorkloadDef&)>;

struct Parsed {
  std::vector<Sweep> sweeps;       // one a document; empty when there are errors
  std::vector<Diagnostic> errors;  // in file order, then --set; beyond the first 100 only counted
  std::vector<std::string> unfit;  // names of overrides `where_it_fits` that fit no document
};

// Limits: 1 MiB; 16 levels of maps and lists; aliases may repeat at most 10,000 nodes and 1 MiB of
// text; one million points a sweep, counted after the overrides. Never throws; reads no file:
// `file` is only the name in the messages.
Parsed parse_sweeps(std::string_view text, std::string_view file, const Catalog& catalog,
                    const std::vector<Override>& overrides, const TableCheck& check = {});

// Replaces `auto`, also where it is only the default, by the kind of device that is there ("cpu",
// "cuda"), so that keys and results name the real device. Before expand. A workload without a
// `device` parameter is left as it is.
void resolve_device(Sweep& sweep, const WorkloadDef& def, std::string_view actual);

struct ExpandedTrial {
  Trial trial;
  TrialKey key;  // equal to key_of(def, trial)
};

struct Expansion {
  // In sweep order, the first axis slowest, then the include points; each key once. Points that
  // differ in scheduling parameters only are one trial with the largest of each (timeout: 0, which
  // is never, is the largest).
  std::vector<ExpandedTrial> trials;
  std::vector<std::int64_t> excluded;  // by rule: the points it removed; the first match counts
  std::int64_t duplicates = 0;         // points that were another point's trial
};

// How many points before exclusion, include points counted, without expanding; INT64_MAX when there
// are more than that.
std::int64_t count_points(const Sweep& sweep);

// A sweep without matrix and zip has one point, its params; with include points it has only those.
// Include points are never excluded.
Expansion expand(const Sweep& sweep, const WorkloadDef& def);

}  // namespace sweepd
